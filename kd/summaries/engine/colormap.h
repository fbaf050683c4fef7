// Colour maps: from one number to a colour, by the names that matplotlib gives them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kd/core/tensor.h"

namespace kd::summaries {

using Rgb = std::array<double, 3>;
using ColorTable = std::array<Rgb, 256>;

// "viridis", or "viridis_r" for the other way round. An Error names the nearest map.
const ColorTable& colormap(const std::string& name);
std::vector<std::string> colormap_names();

// Each number as a colour: the shape gets a last axis of 3, in float64. `range` are the numbers
// with the first and the last colour; without it, the least and greatest finite ones. NaN is black.
Tensor to_rgb(const Tensor& numbers, const std::string& map,
              std::optional<std::pair<double, double>> range = std::nullopt);

}  // namespace kd::summaries
