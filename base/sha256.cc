// SHA-256 (FIPS 180-4).
#include "base/sha256.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace base {
namespace {

using Word = std::uint32_t;

bool is_prime(int n) {
  for (int i = 2; i * i <= n; ++i) {
    if (n % i == 0) return false;
  }
  return true;
}

// The first 32 bits of the fractions of roots of primes.
template <std::size_t N>
std::array<Word, N> root_words(long double (*root)(long double)) {
  std::array<Word, N> out;
  int prime = 2;
  for (Word& word : out) {
    while (!is_prime(prime)) ++prime;
    const long double value = root(prime++);
    word = static_cast<Word>((value - std::floor(value)) * 0x1p32L);
  }
  return out;
}

void compress(std::array<Word, 8>& state, const unsigned char* block) {
  static const auto kRounds =
      root_words<64>([](long double x) -> long double { return std::cbrt(x); });
  Word w[64];
  for (std::size_t i = 0; i < 16; ++i) {
    w[i] = Word{block[4 * i]} << 24 | Word{block[4 * i + 1]} << 16 | Word{block[4 * i + 2]} << 8 |
           block[4 * i + 3];
  }
  for (int i = 16; i < 64; ++i) {
    const Word a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[i - 7] +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const Word t1 = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                    ((e & f) ^ (~e & g)) + kRounds[i] + w[i];
    const Word t2 =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const Word add[] = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += add[i];
}

}  // namespace

std::string sha256(std::string_view data) {
  auto state = root_words<8>([](long double x) -> long double { return std::sqrt(x); });
  const std::uint64_t bits = std::uint64_t{data.size()} * 8;
  auto* bytes = reinterpret_cast<const unsigned char*>(data.data());
  std::size_t left = data.size();
  for (; left >= 64; left -= 64, bytes += 64) compress(state, bytes);
  std::string tail(reinterpret_cast<const char*>(bytes), left);
  tail += '\x80';
  while (tail.size() % 64 != 56) tail += '\0';
  for (int i = 7; i >= 0; --i) tail += static_cast<char>(bits >> 8 * i);
  for (std::size_t at = 0; at < tail.size(); at += 64) {
    compress(state, reinterpret_cast<const unsigned char*>(tail.data()) + at);
  }
  std::string out;
  for (Word word : state) {
    char hex[9];
    std::snprintf(hex, sizeof hex, "%08x", word);
    out += hex;
  }
  return out;
}

}  // namespace base
