// Images to look at: as they are, with boxes, segments in colours, differences in colours.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kd/core/interfaces.h"
#include "kd/typing/typing_fwd.h"

namespace kd::summaries {

struct ShowImagesState;
struct ShowBoxesState;
struct ShowSegmentationsState;
struct ShowDifferenceImagesState;

// The first images of all batches, as numbers from 0 to 1.
struct ShowImages {
  Key images = Key::required();                             // values in [0, 1], or uint8
  int num_images = 5;                                       // how many are shown
  std::optional<std::pair<double, double>> in_vrange = {};  // range of the values, when not [0, 1]
  std::optional<std::string> cmap = {};                     // colour map of one-channel images
  std::optional<std::string> rearrange = {};  // pattern to "n h w c"; None: leading axes become one
  std::optional<Map<int>> rearrange_kwargs = {};  // sizes that the pattern needs
  ShowImagesState get_state(Array<"..."> images) const;
};

// Images with the frames of boxes drawn into them, in colours that repeat.
struct ShowBoxes {
  Key images = Key::required();        // values in [0, 1]
  Key boxes = Key::required();         // (ymin, xmin, ymax, xmax), as parts of height and width
  std::optional<Key> boxes_mask = {};  // which boxes are shown; the others mark the first pixel
  int num_images = 5;                  // how many are shown
  int num_colors = 16;                 // colours before they repeat
  std::optional<std::pair<double, double>> in_vrange = {};  // range of the values, when not [0, 1]
  std::optional<std::string> rearrange = {};                // as in ShowImages, after drawing
  std::optional<Map<int>> rearrange_kwargs = {};            // sizes that the pattern needs
  ShowBoxesState get_state(Float<"..."> images, Float<"*b k 4"> boxes,
                           std::optional<Bool<"*b k 1">> boxes_mask) const;
};

// Segments in colours.
struct ShowSegmentations {
  Key segmentations = Key::required();  // segment of each pixel, or the parts of all segments in it
  int num_images = 5;                   // how many are shown
  bool entropy = false;                 // pixels shared by segments are darker
  bool hard = false;                    // only the largest segment of each pixel
  std::optional<std::vector<std::array<double, 3>>> palette = {};  // red, green, blue of segments
  std::optional<std::string> rearrange = {};                       // as in ShowImages
  std::optional<Map<int>> rearrange_kwargs = {};                   // sizes that the pattern needs
  bool edges = false;                                              // draws the borders of segments
  double edge_lightness = 1.0;  // of the borders: 0 black, 1 white
  double image_contrast = 0.6;  // no effect: no image lies below
  ShowSegmentationsState get_state(Num<"..."> segmentations) const;
};

// The mean absolute difference of the channels of two images, in colours.
struct ShowDifferenceImages {
  Key images1 = Key::required();                         // one image
  Key images2 = Key::required();                         // the other
  Required<int> num_images;                              // how many are shown
  std::optional<std::pair<double, double>> vrange = {};  // range of the values of both
  std::string cmap = "gray";                             // colour map
  std::optional<std::string> rearrange = {};             // as in ShowImages
  std::optional<Map<int>> rearrange_kwargs = {};         // sizes that the pattern needs
  ShowDifferenceImagesState get_state(Float<"..."> images1, Float<"..."> images2) const;
};

}  // namespace kd::summaries

KONFIG_COMPONENT(kd::Metric, kd::summaries::ShowImages, "kauldron.kd:summaries.ShowImages");
KONFIG_COMPONENT(kd::Metric, kd::summaries::ShowBoxes, "kauldron.kd:summaries.ShowBoxes");
KONFIG_COMPONENT(kd::Metric, kd::summaries::ShowSegmentations,
                 "kauldron.kd:summaries.ShowSegmentations");
KONFIG_COMPONENT(kd::Metric, kd::summaries::ShowDifferenceImages,
                 "kauldron.kd:summaries.ShowDifferenceImages");
