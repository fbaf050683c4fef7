// TensorFlow's stateless random numbers: all of them follow from a pair of seeds.
#pragma once

#include <array>
#include <cstdint>

#include "kd/data/order/generator.h"

namespace kd::data::tf {

struct SeedPair {
  std::int64_t first = 0, second = 0;
};
// A pair from a record's generator.
SeedPair draw_seeds(Generator& rng);

// Philox4x32-10, with key and counter scrambled from the seeds.
class Stateless {
 public:
  explicit Stateless(const SeedPair& seed);

  std::uint32_t bits32();
  float uniform();                       // 0 to 1, 1 excluded
  std::uint32_t below(std::uint32_t n);  // 0 to n - 1
  std::int32_t bits() { return static_cast<std::int32_t>(bits32()); }

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_;
  unsigned used_ = 4;
};

}  // namespace kd::data::tf
