// Seeds from seeds, as numpy's SeedSequence makes them (O'Neill's seed_seq_fe with a pool of four).
#include "kd/data/order/generator.h"

namespace kd::data {

namespace {

using Word = std::uint32_t;
constexpr std::size_t kPool = 4;

// Scrambles words; each one with another constant.
struct Hash {
  Word constant, multiplier;
  Word operator()(Word value) {
    value ^= constant;
    constant *= multiplier;
    value *= constant;
    return value ^ value >> 16;
  }
};

Word mix(Word a, Word b) {
  const Word out = 0xCA01F9DDu * a - 0x4973F715u * b;
  return out ^ out >> 16;
}

std::vector<Word> words_of(std::span<const std::uint64_t> entropy) {
  std::vector<Word> out;
  for (std::uint64_t value : entropy) {
    out.push_back(static_cast<Word>(value));
    if (value >> 32) out.push_back(static_cast<Word>(value >> 32));
  }
  return out;
}

}  // namespace

std::vector<std::uint32_t> seed_words(std::span<const std::uint64_t> entropy, std::size_t n) {
  const std::vector<Word> words = words_of(entropy);
  Hash in{0x43B0D7E5, 0x931E8875};
  std::array<Word, kPool> pool;
  for (std::size_t i = 0; i < kPool; ++i) pool[i] = in(i < words.size() ? words[i] : 0);
  for (std::size_t from = 0; from < kPool; ++from) {
    for (std::size_t to = 0; to < kPool; ++to) {
      if (from != to) pool[to] = mix(pool[to], in(pool[from]));
    }
  }
  for (std::size_t i = kPool; i < words.size(); ++i) {
    for (Word& word : pool) word = mix(word, in(words[i]));
  }
  Hash out{0x8B51F9DD, 0x58F38DED};
  std::vector<Word> result(n);
  for (std::size_t i = 0; i < n; ++i) result[i] = out(pool[i % kPool]);
  return result;
}

Generator::Key seeded_key(std::uint64_t seed) {
  const auto words = seed_words({&seed, 1}, 4);
  auto join = [&](std::size_t i) { return words[i] | std::uint64_t{words[i + 1]} << 32; };
  return {join(0), join(2)};
}

}  // namespace kd::data
