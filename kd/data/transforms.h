// Transforms: the steps of a pipeline.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kd/interfaces.h"

namespace kd::data {

// Keeps, renames or drops elements of each example.
struct Elements {
  std::vector<std::string> keep = {};  // names kept as they are
  Map<std::string> copy = {};          // old name to new name, the old one stays
  Map<std::string> rename = {};        // old name to new name
  std::vector<std::string> drop = {};  // names left out
};

// Maps values from one range to another.
struct ValueRange {
  Required<std::string> key;                       // the element
  std::pair<double, double> in_vrange = {0, 255};  // range of the input
  Required<std::pair<double, double>> vrange;      // range of the output
  bool clip_values = true;                         // values outside are cut off
};

// Reorders, splits and joins dimensions: "b h w c -> b (h w) c".
struct Rearrange {
  Required<std::string> key;      // the element
  Required<std::string> pattern;  // in the notation of einops
};

}  // namespace kd::data

KONFIG_COMPONENT(kd::Transform, kd::data::Elements, "kauldron.kd:data.Elements");
KONFIG_COMPONENT(kd::Transform, kd::data::ValueRange, "kauldron.kd:data.ValueRange");
KONFIG_COMPONENT(kd::Transform, kd::data::Rearrange, "kauldron.kd:data.Rearrange");
