// The inner loops, compiled once for any processor and once for AVX2 with fused multiply-add.
// CMakeLists.txt has the options that make them vector code, and the same bits in each variant.
#include "kd/random/kernels_impl.h"

#include "kd/random/math_impl.h"

namespace kd::random::detail {
namespace {

constexpr float kSqrt2 = 1.41421356f;

KD_RANDOM_INLINE void words_of(const Key& key, std::uint64_t begin, std::int64_t n,
                               std::uint32_t* __restrict out) {
  const Schedule schedule(key.hi, key.lo);
  auto upper = static_cast<std::uint32_t>(begin >> 32), lower = static_cast<std::uint32_t>(begin);
  for (std::int64_t i = 0; i < n; ++i) {
    std::uint32_t a = upper, b = lower + static_cast<std::uint32_t>(i);
    block(schedule, a, b);
    out[i] = a ^ b;
  }
}

KD_RANDOM_INLINE void pairs_of(const Key& key, std::uint64_t begin, std::int64_t n,
                               std::uint32_t* __restrict hi, std::uint32_t* __restrict lo) {
  const Schedule schedule(key.hi, key.lo);
  auto upper = static_cast<std::uint32_t>(begin >> 32), lower = static_cast<std::uint32_t>(begin);
  for (std::int64_t i = 0; i < n; ++i) {
    std::uint32_t a = upper, b = lower + static_cast<std::uint32_t>(i);
    block(schedule, a, b);
    hi[i] = a;
    lo[i] = b;
  }
}

KD_RANDOM_INLINE void uniform_of(const std::uint32_t* __restrict words, std::int64_t n, float lo,
                                 float span, float* __restrict out) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = uniform(words[i], lo, span);
}

KD_RANDOM_INLINE void between_of(const std::uint32_t* __restrict words, std::int64_t n,
                                 const float* __restrict lo, const float* __restrict hi,
                                 float* __restrict out) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = uniform(words[i], lo[i], hi[i] - lo[i]);
}

KD_RANDOM_INLINE void normal_of(const std::uint32_t* __restrict words, std::int64_t n, float lo,
                                float span, float min, float max, float* __restrict out) {
  for (std::int64_t i = 0; i < n; ++i) {
    float y = erf_inv(uniform(words[i], lo, span)) * kSqrt2;
    y = y > min ? y : min;
    out[i] = y < max ? y : max;
  }
}

KD_RANDOM_INLINE void below_of(const std::uint32_t* __restrict words, std::int64_t n,
                               std::uint32_t limit, bool* __restrict out) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = (words[i] >> 9) < limit;
}

KD_RANDOM_INLINE void map_of(Function function, const float* __restrict in, std::int64_t n,
                             float* __restrict out) {
  switch (function) {
    case Function::log:
      for (std::int64_t i = 0; i < n; ++i) out[i] = log(in[i]);
      break;
    case Function::log1p:
      for (std::int64_t i = 0; i < n; ++i) out[i] = log1p(in[i]);
      break;
    case Function::erf:
      for (std::int64_t i = 0; i < n; ++i) out[i] = erf(in[i]);
      break;
    case Function::erf_inv:
      for (std::int64_t i = 0; i < n; ++i) out[i] = erf_inv(in[i]);
      break;
  }
}

// One compilation of the loops above: functions with an attribute, and their table.
#define KD_RANDOM_VARIANT(variant, attribute)                                                     \
  namespace variant {                                                                             \
  attribute void words(const Key& key, std::uint64_t begin, std::int64_t n, std::uint32_t* out) { \
    words_of(key, begin, n, out);                                                                 \
  }                                                                                               \
  attribute void pairs(const Key& key, std::uint64_t begin, std::int64_t n, std::uint32_t* hi,    \
                       std::uint32_t* lo) {                                                       \
    pairs_of(key, begin, n, hi, lo);                                                              \
  }                                                                                               \
  attribute void to_uniform(const std::uint32_t* words, std::int64_t n, float lo, float span,     \
                            float* out) {                                                         \
    uniform_of(words, n, lo, span, out);                                                          \
  }                                                                                               \
  attribute void between(const std::uint32_t* words, std::int64_t n, const float* lo,             \
                         const float* hi, float* out) {                                           \
    between_of(words, n, lo, hi, out);                                                            \
  }                                                                                               \
  attribute void to_normal(const std::uint32_t* words, std::int64_t n, float lo, float span,      \
                           float min, float max, float* out) {                                    \
    normal_of(words, n, lo, span, min, max, out);                                                 \
  }                                                                                               \
  attribute void below(const std::uint32_t* words, std::int64_t n, std::uint32_t limit,           \
                       bool* out) {                                                               \
    below_of(words, n, limit, out);                                                               \
  }                                                                                               \
  attribute void map(Function function, const float* in, std::int64_t n, float* out) {            \
    map_of(function, in, n, out);                                                                 \
  }                                                                                               \
  constexpr Kernels kKernels = {                                                                  \
      #variant, words, pairs, to_uniform, between, to_normal, below, map};                        \
  }

KD_RANDOM_VARIANT(portable, )
#ifdef __x86_64__
KD_RANDOM_VARIANT(avx2, __attribute__((target("avx2,fma"))))
#endif

}  // namespace

std::vector<const Kernels*> all_kernels() {
  std::vector<const Kernels*> out = {&portable::kKernels};
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    out.push_back(&avx2::kKernels);
  }
#endif
  return out;
}

const Kernels& kernels() {
  static const Kernels& best = *all_kernels().back();
  return best;
}

}  // namespace kd::random::detail
