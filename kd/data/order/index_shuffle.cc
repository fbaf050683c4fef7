// The rounds of the Simon cipher (Beaulieu et al., 2013), with keys from std::seed_seq.
#include "kd/data/order/index_shuffle.h"

#include <algorithm>
#include <bit>
#include <random>

#include "konfig/error.h"

namespace kd::data {

IndexShuffle::IndexShuffle(std::uint64_t max_index, std::uint32_t seed, int rounds)
    : max_index_(max_index) {
  if (rounds < 4 || rounds % 2 != 0) {
    throw konfig::Error(konfig::ErrorKind::value, "index shuffle: the number of rounds is " +
                                                      std::to_string(rounds) +
                                                      "; it is even and at least 4");
  }
  const auto bits = static_cast<unsigned>(max_index > 0 ? std::bit_width(max_index - 1) : 0);
  word_bits_ = std::max(bits + bits % 2, 16u) / 2;
  keys_.resize(static_cast<std::size_t>(rounds));
  std::seed_seq{seed}.generate(keys_.begin(), keys_.end());
}

std::uint64_t IndexShuffle::operator()(std::uint64_t index) const {
  if (max_index_ == 0) return 0;
  const unsigned bits = word_bits_;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  auto rotated = [&](std::uint64_t x, unsigned by) { return (x << by | x >> (bits - by)) & mask; };
  auto f = [&](std::uint64_t x) { return (rotated(x, 1) & rotated(x, 8)) ^ rotated(x, 2); };
  do {
    std::uint64_t left = index >> bits & mask, right = index & mask;
    for (std::size_t i = 0; i < keys_.size(); i += 2) {
      left ^= f(right) ^ (keys_[i] & mask);
      right ^= f(left) ^ (keys_[i + 1] & mask);
    }
    index = left << bits | right;
  } while (index > max_index_);
  return index;
}

}  // namespace kd::data
