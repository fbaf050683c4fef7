// Draws from Philox blocks, in numpy's order.
#include "kd/data/order/generator.h"

#include <bit>
#include <utility>

namespace kd::data {

namespace {

using Word = std::uint64_t;
__extension__ typedef unsigned __int128 Wide;

// One block of Philox4x64 with ten rounds (Salmon et al., 2011).
Generator::Counter philox(Generator::Counter c, Generator::Key k) {
  constexpr Word kMultiplier0 = 0xD2E7470EE14C6C93, kMultiplier1 = 0xCA5A826395121157;
  constexpr Word kWeyl0 = 0x9E3779B97F4A7C15, kWeyl1 = 0xBB67AE8584CAA73B;
  for (int round = 0; round < 10; ++round) {
    if (round > 0) k = {k[0] + kWeyl0, k[1] + kWeyl1};
    const Wide p0 = static_cast<Wide>(kMultiplier0) * c[0];
    const Wide p1 = static_cast<Wide>(kMultiplier1) * c[2];
    c = {static_cast<Word>(p1 >> 64) ^ c[1] ^ k[0], static_cast<Word>(p1),
         static_cast<Word>(p0 >> 64) ^ c[3] ^ k[1], static_cast<Word>(p0)};
  }
  return c;
}

}  // namespace

// O'Neill's PCG XSL-RR with 128 bits of state.
std::uint64_t Generator::pcg64() {
  constexpr Wide kMultiplier = (static_cast<Wide>(0x2360ED051FC65DA4) << 64) | 0x4385DF649FCCF645;
  const Wide increment = (static_cast<Wide>(key_[1]) << 64) | key_[0];
  const Wide state =
      ((static_cast<Wide>(counter_[1]) << 64) | counter_[0]) * kMultiplier + increment;
  counter_[0] = static_cast<Word>(state);
  counter_[1] = static_cast<Word>(state >> 64);
  return std::rotr(counter_[1] ^ counter_[0], static_cast<int>(counter_[1] >> 58));
}

Generator Generator::default_rng(std::uint64_t seed) {
  const auto words = seed_words(std::array{seed}, 8);
  auto word = [&](std::size_t i) {
    return words[2 * i] | (static_cast<Word>(words[2 * i + 1]) << 32);
  };
  // The words are the start and the increment, high ones first; the increment is made odd.
  Generator out({(word(3) << 1) | 1, (word(2) << 1) | (word(3) >> 63)});
  out.is_pcg_ = true;
  out.pcg64();
  const Wide start = ((static_cast<Wide>(word(0)) << 64) | word(1)) +
                     ((static_cast<Wide>(out.counter_[1]) << 64) | out.counter_[0]);
  out.counter_[0] = static_cast<Word>(start);
  out.counter_[1] = static_cast<Word>(start >> 64);
  out.pcg64();
  return out;
}

std::uint64_t Generator::bits64() {
  if (is_pcg_) return pcg64();
  if (used_ == block_.size()) {
    for (Word& word : counter_) {  // one number of 256 bits
      if (++word != 0) break;
    }
    block_ = philox(counter_, key_);
    used_ = 0;
  }
  return block_[used_++];
}

std::uint32_t Generator::bits32() {
  if (has_half_) {
    has_half_ = false;
    return half_;
  }
  const Word bits = bits64();
  has_half_ = true;
  half_ = static_cast<std::uint32_t>(bits >> 32);
  return static_cast<std::uint32_t>(bits);
}

// Lemire's method: the upper half of draw * n, redrawn where n does not divide evenly.
std::uint64_t Generator::integers(std::uint64_t n) {
  if (n <= 1) return 0;
  constexpr Word kSmall = Word{1} << 32;
  if (n == kSmall) return bits32();
  if (n < kSmall) {
    Word product = bits32() * n;
    const Word threshold = (kSmall - n) % n;
    while ((product & (kSmall - 1)) < threshold) product = bits32() * n;
    return product >> 32;
  }
  Wide product = static_cast<Wide>(bits64()) * n;
  const Word threshold = (Word{0} - n) % n;
  while (static_cast<Word>(product) < threshold) product = static_cast<Wide>(bits64()) * n;
  return static_cast<Word>(product >> 64);
}

std::vector<bool> Generator::coins(std::size_t n) {
  std::vector<bool> out(n);
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < n; ++i) {
    bits = i % 32 == 0 ? bits32() : bits >> 1;
    out[i] = bits & 1;
  }
  return out;
}

double Generator::uniform() { return static_cast<double>(bits64() >> 11) * 0x1p-53; }

std::uint64_t Generator::at_most(std::uint64_t top) {
  if (top == 0) return 0;
  const Word mask = ~Word{0} >> std::countl_zero(top);
  while (true) {
    const Word value = (top >> 32 ? bits64() : bits32()) & mask;
    if (value <= top) return value;
  }
}

void Generator::shuffle(std::span<std::int64_t> values) {
  for (std::size_t i = values.size(); i-- > 1;) std::swap(values[i], values[at_most(i)]);
}

}  // namespace kd::data
