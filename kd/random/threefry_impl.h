// Threefry-2x32 with 20 rounds (Salmon et al., 2011): two words of counter to two words of noise.
#pragma once

#include <cstdint>

// Kernels are compiled for several instruction sets; what they call must become part of each.
#define KD_RANDOM_INLINE inline __attribute__((always_inline))

namespace kd::random::detail {

// The key, spread as the rounds need it.
struct Schedule {
  std::uint32_t k[3];
  constexpr Schedule(std::uint32_t hi, std::uint32_t lo) : k{hi, lo, hi ^ lo ^ 0x1BD11BDAu} {}
};

KD_RANDOM_INLINE constexpr void mix(std::uint32_t& a, std::uint32_t& b, int rotation) {
  a += b;
  b = (b << rotation | b >> (32 - rotation)) ^ a;
}

// Replaces the counter (a, b) by its block.
KD_RANDOM_INLINE constexpr void block(const Schedule& s, std::uint32_t& a, std::uint32_t& b) {
  a += s.k[0], b += s.k[1];
  mix(a, b, 13), mix(a, b, 15), mix(a, b, 26), mix(a, b, 6);
  a += s.k[1], b += s.k[2] + 1;
  mix(a, b, 17), mix(a, b, 29), mix(a, b, 16), mix(a, b, 24);
  a += s.k[2], b += s.k[0] + 2;
  mix(a, b, 13), mix(a, b, 15), mix(a, b, 26), mix(a, b, 6);
  a += s.k[0], b += s.k[1] + 3;
  mix(a, b, 17), mix(a, b, 29), mix(a, b, 16), mix(a, b, 24);
  a += s.k[1], b += s.k[2] + 4;
  mix(a, b, 13), mix(a, b, 15), mix(a, b, 26), mix(a, b, 6);
  a += s.k[2], b += s.k[0] + 5;
}

}  // namespace kd::random::detail
