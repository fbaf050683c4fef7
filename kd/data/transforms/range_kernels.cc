// The inner loop of ValueRange, compiled once for any processor and once for AVX2. CMakeLists.txt
// has the options that make it vector code with the same bits in each variant.
#include "kd/data/transforms/range_kernels_impl.h"

namespace kd::data::detail {

namespace {

template <class T>
__attribute__((always_inline)) inline void map_all(const T* __restrict in, std::int64_t n,
                                                   const Range& range, float* __restrict out) {
  const Range r = range;
  if (r.clip) {
    for (std::int64_t i = 0; i < n; ++i) {
      float y = (static_cast<float>(in[i]) - r.in_min) / r.in_size * r.out_size + r.out_min;
      y = y < r.out_min ? r.out_min : y;
      out[i] = y > r.out_max ? r.out_max : y;
    }
  } else {
    for (std::int64_t i = 0; i < n; ++i) {
      out[i] = (static_cast<float>(in[i]) - r.in_min) / r.in_size * r.out_size + r.out_min;
    }
  }
}

__attribute__((always_inline)) inline void bytes_all(const float* __restrict in, std::int64_t n,
                                                     std::uint8_t* __restrict out) {
  for (std::int64_t i = 0; i < n; ++i) {
    out[i] = static_cast<std::uint8_t>(static_cast<std::int32_t>(in[i]));
  }
}

template <class T>
void map_portable(const T* in, std::int64_t n, const Range& range, float* out) {
  map_all(in, n, range, out);
}

#ifdef __x86_64__
template <class T>
__attribute__((target("avx2"))) void map_avx2(const T* in, std::int64_t n, const Range& range,
                                              float* out) {
  map_all(in, n, range, out);
}
__attribute__((target("avx2"))) void bytes_avx2(const float* in, std::int64_t n,
                                                std::uint8_t* out) {
  bytes_all(in, n, out);
}
const bool kHasAvx2 = __builtin_cpu_supports("avx2");
#endif

template <class T>
void map_best(const T* in, std::int64_t n, const Range& range, float* out) {
#ifdef __x86_64__
  if (kHasAvx2) return map_avx2(in, n, range, out);
#endif
  map_portable(in, n, range, out);
}

}  // namespace

void map_range(const std::uint8_t* in, std::int64_t n, const Range& range, float* out) {
  map_best(in, n, range, out);
}
void map_range(const float* in, std::int64_t n, const Range& range, float* out) {
  map_best(in, n, range, out);
}

void to_bytes(const float* in, std::int64_t n, std::uint8_t* out) {
#ifdef __x86_64__
  if (kHasAvx2) return bytes_avx2(in, n, out);
#endif
  bytes_all(in, n, out);
}

}  // namespace kd::data::detail
