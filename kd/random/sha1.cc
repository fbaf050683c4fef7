// SHA-1 as FIPS 180-4 defines it.
#include "kd/random/sha1.h"

#include <bit>

namespace kd::random {
namespace {

using State = std::array<std::uint32_t, 5>;
constexpr std::size_t kBlock = 64;

void add_block(State& state, const unsigned char* bytes) {
  std::uint32_t w[80];
  for (std::size_t i = 0; i < 16; ++i) {
    const unsigned char* p = bytes + 4 * i;
    w[i] = std::uint32_t{p[0]} << 24 | std::uint32_t{p[1]} << 16 | std::uint32_t{p[2]} << 8 | p[3];
  }
  for (int i = 16; i < 80; ++i) w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);

  auto [a, b, c, d, e] = state;
  for (int i = 0; i < 80; ++i) {
    std::uint32_t f, k;
    if (i < 20) {
      f = (b & c) | (~b & d), k = 0x5A827999;
    } else if (i < 40) {
      f = b ^ c ^ d, k = 0x6ED9EBA1;
    } else if (i < 60) {
      f = (b & c) | (b & d) | (c & d), k = 0x8F1BBCDC;
    } else {
      f = b ^ c ^ d, k = 0xCA62C1D6;
    }
    std::uint32_t next = std::rotl(a, 5) + f + e + k + w[i];
    e = d, d = c, c = std::rotl(b, 30), b = a, a = next;
  }
  state[0] += a, state[1] += b, state[2] += c, state[3] += d, state[4] += e;
}

}  // namespace

std::array<std::uint32_t, 5> sha1(std::string_view data) {
  State state = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
  auto* bytes = reinterpret_cast<const unsigned char*>(data.data());
  std::size_t rest = data.size();
  for (; rest >= kBlock; rest -= kBlock, bytes += kBlock) add_block(state, bytes);

  // The rest, a one bit, zeros, and the length in bits: one block or two.
  unsigned char tail[2 * kBlock] = {};
  for (std::size_t i = 0; i < rest; ++i) tail[i] = bytes[i];
  tail[rest] = 0x80;
  std::size_t end = rest + 9 <= kBlock ? kBlock : 2 * kBlock;
  std::uint64_t length = std::uint64_t{data.size()} * 8;
  for (int i = 0; i < 8; ++i) tail[end - 1 - i] = static_cast<unsigned char>(length >> (8 * i));
  for (std::size_t at = 0; at < end; at += kBlock) add_block(state, tail + at);
  return state;
}

}  // namespace kd::random
