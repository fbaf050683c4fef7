// Summaries: what is shown of a run besides numbers.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "kd/interfaces.h"

namespace kd::summaries {

// The first images of a batch.
struct ShowImages {
  Key images = Key::required();                             // values in [0, 1], or uint8
  int num_images = 5;                                       // how many are shown
  std::optional<std::pair<double, double>> in_vrange = {};  // range of the values, when not [0, 1]
  std::optional<std::string> cmap = {};                     // colour map of one-channel images
};

}  // namespace kd::summaries

KONFIG_COMPONENT(kd::Summary, kd::summaries::ShowImages, "kauldron.kd:summaries.ShowImages");
