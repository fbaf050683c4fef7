// Transforms of videos, frames along the first dimension, as in the reference's contrib. What is
// random equals the reference in distribution.
#pragma once

#include <array>
#include <optional>

#include "kd/data/transforms/transforms.h"

namespace kd::data {
class Generator;
}

namespace kd::data::contrib {

// All but the last dimension of a video as one: "... t h w c" to "... (t h w) c".
struct FlattenVideo {
  Required<ElementKey> key;  // the elements

  Tensor map_element(const Tensor& element) const;
};

// The same for each few frames: "... (t n) h w c" to "... t (n h w) c".
struct TimeChunkedFlattenVideo {
  Required<ElementKey> key;       // the elements
  Required<int> time_chunk_size;  // frames that stand together

  Tensor map_element(const Tensor& element) const;
};

// Blocks of pixels and frames as channels.
struct SpacetimeToDepth {
  Required<ElementKey> key;          // the elements: "... t h w c"
  Required<int> space2depth_factor;  // side of a block
  Required<int> time2depth_factor;   // frames of a block

  Tensor map_element(const Tensor& element) const;
};

// Frames repeated evenly, until their number can be divided.
struct RepeatFrames {
  Required<ElementKey> key;    // the elements
  Required<int> divisible_by;  // what their number becomes a multiple of

  Tensor map_element(const Tensor& element) const;
};

// The first frames.
struct ExtractInitialFixedLengthClip {
  Required<ElementKey> key;  // the elements
  Required<int> num_frames;  // how many

  Tensor map_element(const Tensor& element) const;
};

// Every few frames.
struct SliceWithStride {
  Required<ElementKey> key;              // the elements
  Required<int> stride;                  // from one to the next
  std::optional<int> num_elements = {};  // how many; None: all

  Tensor map_element(const Tensor& element) const;
};

// Each patch with mean 0 and variance 1, for every channel by itself. Tong et al., 2022.
struct VideoMAENormalization {
  Required<ElementKey> key;                     // the elements: "... t h w c"
  std::array<int, 3> patch_size = {2, 16, 16};  // frames, height, width
  double eps = 1e-6;                            // added to the standard deviation

  Tensor map_element(const Tensor& element) const;
};

// Three squares along the longer side of the frames, one video behind the other: (3 t, h, w, c).
struct ThreeSpatialCrop {
  Required<ElementKey> key;  // the elements: (t, h, w, c)
  Required<int> shape;       // side of the squares

  Tensor map_element(const Tensor& element) const;
};

// Flips all frames, or none of them.
struct RandomFlipLeftRightVideo {
  Required<ElementKey> key;  // the elements: (t, h, w, c)

  Tensor random_map_element(const Tensor& element, Generator& rng) const;
};

// Blurs images, more or less.
struct GaussianBlur {
  Required<ElementKey> key;  // the elements: "... h w c", floating point
  double apply_prob = 0.5;   // how often; as in the reference the least blurred ones are drawn then
  double sigma_min = 0.1;    // pixels
  double sigma_max = 2.0;    // pixels
  int kernel_size = 9;       // pixels that are mixed; an even number counts as the next odd one

  void check() const;
  Tensor random_map_element(const Tensor& element, Generator& rng) const;
};

// Makes images larger or smaller, at random.
struct RandomResize {
  Required<ElementKey> key;                      // the elements: "... h w c"
  double prob = 0.8;                             // how often
  double min_scale_factor = 0.8;                 // the smallest
  double max_scale_factor = 1.2;                 // the largest
  ResizeMethod method = ResizeMethod::bilinear;  // see Resize
  bool antialias = false;                        // smooths when shrinking

  Tensor random_map_element(const Tensor& element, Generator& rng) const;
};

}  // namespace kd::data::contrib

KONFIG_COMPONENT(kd::Transform, kd::data::contrib::FlattenVideo,
                 "kauldron.contrib.data:FlattenVideo", "kauldron.kd:contrib.data.FlattenVideo");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::TimeChunkedFlattenVideo,
                 "kauldron.contrib.data:TimeChunkedFlattenVideo",
                 "kauldron.kd:contrib.data.TimeChunkedFlattenVideo");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::SpacetimeToDepth,
                 "kauldron.contrib.data:SpacetimeToDepth",
                 "kauldron.kd:contrib.data.SpacetimeToDepth");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::RepeatFrames,
                 "kauldron.contrib.data:RepeatFrames", "kauldron.kd:contrib.data.RepeatFrames");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::ExtractInitialFixedLengthClip,
                 "kauldron.contrib.data:ExtractInitialFixedLengthClip",
                 "kauldron.kd:contrib.data.ExtractInitialFixedLengthClip");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::SliceWithStride,
                 "kauldron.contrib.data:SliceWithStride",
                 "kauldron.kd:contrib.data.SliceWithStride");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::VideoMAENormalization,
                 "kauldron.contrib.data:VideoMAENormalization",
                 "kauldron.kd:contrib.data.VideoMAENormalization");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::ThreeSpatialCrop,
                 "kauldron.contrib.data:ThreeSpatialCrop",
                 "kauldron.kd:contrib.data.ThreeSpatialCrop");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::RandomFlipLeftRightVideo,
                 "kauldron.contrib.data:RandomFlipLeftRightVideo",
                 "kauldron.kd:contrib.data.RandomFlipLeftRightVideo");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::RandomResize,
                 "kauldron.contrib.data:RandomResize", "kauldron.kd:contrib.data.RandomResize");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::GaussianBlur,
                 "kauldron.contrib.data:GaussianBlur", "kauldron.kd:contrib.data.GaussianBlur");
