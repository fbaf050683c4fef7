// How a mixture takes turns between its datasets, as grain does.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace kd::data {

// Weights as whole numbers: the smallest becomes 100, the others follow, cut off.
std::vector<std::int64_t> integer_proportions(std::span<const double> weights);

// Which dataset gives the element at a position, and which of its elements that is.
struct Turn {
  std::size_t dataset = 0;
  std::int64_t element = 0;
  friend bool operator==(const Turn&, const Turn&) = default;
};
Turn turn_at(std::int64_t position, std::span<const std::int64_t> proportions);

// The longest mixture in which no element comes twice.
std::int64_t mixture_size(std::span<const std::int64_t> sizes,
                          std::span<const std::int64_t> proportions);

}  // namespace kd::data
