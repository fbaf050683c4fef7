// Metrics of images and of their segmentation.
#pragma once

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "kd/core/interfaces.h"
#include "kd/typing/typing_fwd.h"

namespace kd::metrics {

struct AverageState;

// Peak signal to noise ratio in dB, of each image and then averaged. The squared error of identical
// images counts as 1e-10.
struct Psnr {
  Key pred = Key::required();                        // what the model says
  Key target = Key::required();                      // what it should say
  std::optional<Key> mask = {};                      // weights of the images, last axis 1
  std::pair<double, double> in_vrange = {0.0, 1.0};  // range of the values
  std::optional<double> clip = {};                   // upper limit of each ratio
  AverageState get_state(Float<"*b h w c"> pred, Float<"*b h w c"> target,
                         std::optional<Array<"*b 1">> mask) const;
};

// Structural similarity of images. Wang et al., 2004.
struct Ssim {
  Key pred = Key::required();                        // what the model says
  Key target = Key::required();                      // what it should say
  std::optional<Key> mask = {};                      // weights of the images, last axis 1
  std::pair<double, double> in_vrange = {0.0, 1.0};  // range of the values
  int filter_size = 11;                              // width of the Gaussian window
  double filter_sigma = 1.5;                         // its standard deviation
  double k1 = 0.01;                                  // keeps quotients of means from 0 / 0
  double k2 = 0.03;                                  // the same for variances
  AverageState get_state(Float<"*b h w c"> pred, Float<"*b h w c"> target,
                         std::optional<Array<"*b 1">> mask) const;
};

// Perceptual distance of images by the features of a VGG network. Zhang et al., 2018. It needs the
// weights of that network, which are not part of this library.
struct LpipsVgg {
  Key pred = Key::required();                        // what the model says
  Key target = Key::required();                      // what it should say
  std::optional<Key> mask = {};                      // weights of the images, last axis 1
  std::pair<double, double> in_vrange = {0.0, 1.0};  // range of the values
  AverageState get_state(Float<"*b h w c"> pred, Float<"*b h w c"> target,
                         std::optional<Array<"*b 1">> mask) const;
};

// Adjusted Rand index of segmentations of videos: 1 for the same segments, however numbered, 0 for
// chance.
struct Ari {
  Required<int> num_instances_true;  // labels are below this
  Required<int> num_instances_pred;  // predictions are below this
  std::optional<std::variant<int, std::vector<int>>> ignored_ids = {};  // labels that do not count
  Key predictions = Key::required();                                    // segment of each pixel
  Key labels = Key::required();                                         // the right segments
  std::optional<Key> mask = {};  // weights of the videos, last axis 1
  AverageState get_state(Int<"*b t h w 1"> predictions, Int<"*b t h w 1"> labels,
                         std::optional<Array<"*b 1">> mask) const;
};

}  // namespace kd::metrics

KONFIG_COMPONENT(kd::Metric, kd::metrics::Psnr, "kauldron.kd:metrics.Psnr");
KONFIG_COMPONENT(kd::Metric, kd::metrics::Ssim, "kauldron.kd:metrics.Ssim");
KONFIG_COMPONENT(kd::Metric, kd::metrics::LpipsVgg, "kauldron.kd:metrics.LpipsVgg");
KONFIG_COMPONENT(kd::Metric, kd::metrics::Ari, "kauldron.kd:metrics.Ari");
