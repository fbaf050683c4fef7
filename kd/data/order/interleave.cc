// The turns of a mixture.
#include "kd/data/order/interleave.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "kd/data/formats.h"
#include "kd/io/errors.h"

namespace kd::data {

std::vector<std::int64_t> integer_proportions(std::span<const double> weights) {
  for (double weight : weights) {
    if (!(weight > 0 && weight < std::numeric_limits<double>::infinity())) {
      throw Error(ErrorKind::value,
                  "weights: " + std::to_string(weight) +
                      " is no weight; leave a dataset out, or give it a positive one");
    }
  }
  if (weights.empty()) return {};
  constexpr double kSmallest = 100, kMost = 1e15;
  const double scale = kSmallest / *std::min_element(weights.begin(), weights.end());
  std::vector<std::int64_t> out;
  for (double weight : weights) {
    if (weight * scale > kMost) {
      throw Error(ErrorKind::value, "weights: one is more than 10^13 times another");
    }
    out.push_back(static_cast<std::int64_t>(weight * scale));
  }
  return out;
}

// The first dataset takes its share of all positions, rounded up; the others share the rest.
Turn turn_at(std::int64_t position, std::span<const std::int64_t> proportions) {
  __extension__ using Wide = __int128;
  auto total = std::accumulate(proportions.begin(), proportions.end(), std::int64_t{0});
  for (std::size_t i = 0; i < proportions.size(); ++i) {
    const std::int64_t rest = total - proportions[i];
    auto others = [&](std::int64_t n) {
      return static_cast<std::int64_t>(static_cast<Wide>(n) * rest / total);
    };
    const std::int64_t before = others(position);
    if (others(position + 1) == before) return {i, position - before};
    position = before;
    total = rest;
  }
  throw Error(ErrorKind::value, "a mixture has at least one dataset");
}

std::int64_t mixture_size(std::span<const std::int64_t> sizes,
                          std::span<const std::int64_t> proportions) {
  const auto total =
      static_cast<double>(std::accumulate(proportions.begin(), proportions.end(), std::int64_t{0}));
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double share = static_cast<double>(proportions[i]) / total;
    smallest = std::min(smallest, static_cast<double>(sizes[i]) / share);
  }
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  return smallest < static_cast<double>(kMax) ? static_cast<std::int64_t>(smallest) : kMax;
}

}  // namespace kd::data
