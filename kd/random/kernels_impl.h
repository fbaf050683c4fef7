// The inner loops of all draws, for the processor at hand.
#pragma once

#include <cstdint>

#include "kd/random/key.h"

namespace kd::random::detail {

// A function of float32, computed as the reference does.
enum class Function : std::uint8_t { log, log1p, erf, erf_inv };

struct Kernels {
  const char* name;
  // out[i] = hi ^ lo of the block of counter begin + i. The counters share their upper word.
  void (*words)(const Key& key, std::uint64_t begin, std::int64_t n, std::uint32_t* out);
  // Both words of the same blocks.
  void (*pairs)(const Key& key, std::uint64_t begin, std::int64_t n, std::uint32_t* hi,
                std::uint32_t* lo);
  // Words to floats in [lo, lo + span].
  void (*uniform)(const std::uint32_t* words, std::int64_t n, float lo, float span, float* out);
  // The same with bounds for each element: [lo[i], hi[i]].
  void (*between)(const std::uint32_t* words, std::int64_t n, const float* lo, const float* hi,
                  float* out);
  // Words to normals, sqrt(2) * erf_inv of `uniform`, kept in [min, max].
  void (*normal)(const std::uint32_t* words, std::int64_t n, float lo, float span, float min,
                 float max, float* out);
  // out[i] = (words[i] >> 9) < limit
  void (*below)(const std::uint32_t* words, std::int64_t n, std::uint32_t limit, bool* out);
  void (*map)(Function function, const float* in, std::int64_t n, float* out);
};

// The fastest that this processor runs. All of them give the same bits.
const Kernels& kernels();
// Those that this processor runs, the portable one first.
std::vector<const Kernels*> all_kernels();

}  // namespace kd::random::detail
