// IndexShuffle: a shuffled order of 0 to n-1 without a list of it, as grain computes it: a cipher
// of the position, applied until the result is in range.
//
//   IndexShuffle order(/*max_index=*/59999, seed);
//   auto record = order(17);
#pragma once

#include <cstdint>
#include <vector>

namespace kd::data {

class IndexShuffle {
 public:
  // `rounds` is even, and at least 4.
  IndexShuffle(std::uint64_t max_index, std::uint32_t seed, int rounds = 4);

  // For an index up to max_index. A permutation, except that the reference's block is a bit short
  // where max_index is 2^16, 2^18, 2^20, ...: some indices then come twice, others never.
  std::uint64_t operator()(std::uint64_t index) const;

 private:
  std::uint64_t max_index_;
  unsigned word_bits_;  // half of the block
  std::vector<std::uint32_t> keys_;
};

}  // namespace kd::data
