// Draws from Philox blocks, in TensorFlow's order.
#include "kd/data/order/tf_random.h"

#include <bit>

namespace kd::data::tf {

namespace {

using Block = std::array<std::uint32_t, 4>;

Block philox(Block c, std::array<std::uint32_t, 2> k) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53} * c[0];
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ k[0], static_cast<std::uint32_t>(p1),
         static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ k[1], static_cast<std::uint32_t>(p0)};
    k = {k[0] + 0x9E3779B9, k[1] + 0xBB67AE85};
  }
  return c;
}

std::uint32_t low(std::int64_t x) { return static_cast<std::uint32_t>(x); }
std::uint32_t high(std::int64_t x) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(x) >> 32);
}

}  // namespace

SeedPair draw_seeds(Generator& rng) {
  return {static_cast<std::int64_t>(rng.bits64() >> 1),
          static_cast<std::int64_t>(rng.bits64() >> 1)};
}

Stateless::Stateless(const SeedPair& seed) {
  const Block mixed =
      philox({low(seed.first), high(seed.first), low(seed.second), high(seed.second)},
             {0x3EC8F720, 0x02461E29});
  key_ = {mixed[0], mixed[1]};
  counter_ = {0, 0, mixed[2], mixed[3]};
}

std::uint32_t Stateless::bits32() {
  if (used_ == block_.size()) {
    block_ = philox(counter_, key_);
    for (std::uint32_t& word : counter_) {
      if (++word != 0) break;
    }
    used_ = 0;
  }
  return block_[used_++];
}

// The lower 23 bits as the fraction of a number from 1 to 2.
float Stateless::uniform() {
  return std::bit_cast<float>((bits32() & 0x7FFFFFu) | 0x3F800000u) - 1.0f;
}

std::uint32_t Stateless::below(std::uint32_t n) {
  if (n == 0) return bits32() * n;
  if ((n & (n - 1)) == 0) return bits32() & (n - 1);
  const std::uint32_t top = ~0u, rest = top % n + 1;
  while (true) {
    const std::uint32_t draw = bits32();
    if (draw <= top - rest) return draw % n;
  }
}

}  // namespace kd::data::tf
