// Generator: numpy's random generator over Philox4x64-10, or PCG64, bit for bit. The order of a
// pipeline and its random transforms come from it.
//
//   Generator order({seed, 0}, {0, 0, epoch, 0});
//   order.shuffle(indices);
//   auto start = order.integers(7);        // 0 to 6
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace kd::data {

class Generator {
 public:
  using Key = std::array<std::uint64_t, 2>;
  using Counter = std::array<std::uint64_t, 4>;

  explicit Generator(Key key = {}, Counter counter = {}) : key_(key), counter_(counter) {}
  static Generator default_rng(std::uint64_t seed);  // as `numpy.random.default_rng`: PCG64

  std::uint64_t bits64();
  // Half of a 64-bit draw; the other half is kept for the next call.
  std::uint32_t bits32();

  // 0 to n - 1, as `integers(0, n)`. n is at least 1.
  std::uint64_t integers(std::uint64_t n);
  // As `integers(2, size=n, dtype=bool)`.
  std::vector<bool> coins(std::size_t n);
  double uniform();  // 0 to 1, 1 excluded: `random()`
  double normal();   // `normal()`

  // In place, as `shuffle`.
  void shuffle(std::span<std::int64_t> values);

 private:
  std::uint64_t at_most(std::uint64_t top);  // the draw of shuffle, unlike that of integers

  std::uint64_t pcg64();

  Key key_;          // of PCG64: the increment
  Counter counter_;  // of PCG64: the state; low words first
  bool is_pcg_ = false;
  Counter block_ = {};
  unsigned used_ = 4;  // words of the block that were given out
  bool has_half_ = false;
  std::uint32_t half_ = 0;
};

// numpy's SeedSequence: words that depend on all bits of the entropy.
std::vector<std::uint32_t> seed_words(std::span<const std::uint64_t> entropy, std::size_t n);
// The first two 64-bit words: the key that numpy's Philox takes from a seed.
Generator::Key seeded_key(std::uint64_t seed);

}  // namespace kd::data
