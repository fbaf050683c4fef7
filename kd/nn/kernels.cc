// Inner loops, compiled once for any processor and once for AVX2 with fused multiply-add. They
// become vector code with the options that CMakeLists.txt gives this file.
#include "kd/nn/kernels_impl.h"

#define KD_NN_INLINE inline __attribute__((always_inline))

namespace kd::nn::detail {
namespace {

// e**x for x up to 88, within one unit in the last place or two; smaller than 1e-37 it is not
// exact.
KD_NN_INLINE float exp_of(float x) {
  x = x < -87.0f ? -87.0f : x;
  x = x > 88.0f ? 88.0f : x;
  // x = n * log(2) + r with |r| <= log(2) / 2, about.
  auto whole = static_cast<std::int32_t>(x * 1.44269504f + (x < 0 ? -0.5f : 0.5f));
  auto n = static_cast<float>(whole);
  float r = x - n * 0.693359375f;
  r = r - n * -2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  // 2**n, by its exponent's bits.
  auto bits = static_cast<std::uint32_t>(whole + 127) << 23;
  return p * __builtin_bit_cast(float, bits);
}

constexpr float kSlope = 1.59576912f;              // 2 * sqrt(2 / pi)
constexpr float kCubic = 0.044715f * 1.59576912f;  // of the cube

KD_NN_INLINE float gate(float x) { return 1.0f / (1.0f + exp_of(-(kSlope + kCubic * x * x) * x)); }

KD_NN_INLINE void gelu_of(const float* __restrict x, std::int64_t n, float* __restrict y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = x[i] * gate(x[i]);
}

KD_NN_INLINE void gelu_backward_of(const float* __restrict x, const float* __restrict dy,
                                   std::int64_t n, float* __restrict dx) {
  for (std::int64_t i = 0; i < n; ++i) {
    float s = gate(x[i]);
    float inner = kSlope + 3 * kCubic * x[i] * x[i];
    dx[i] = dy[i] * (s + x[i] * s * (1.0f - s) * inner);
  }
}

KD_NN_INLINE void rms_norm_of(const float* x, const float* scale, std::int64_t rows, std::int64_t n,
                              float epsilon, float* y, float* inv) {
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* __restrict in = x + row * n;
    float* __restrict out = y + row * n;
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t i = 0; i < n; ++i) sum += in[i] * in[i];
    float factor = 1.0f / __builtin_sqrtf(sum / static_cast<float>(n) + epsilon);
    inv[row] = factor;
    if (scale) {
      for (std::int64_t i = 0; i < n; ++i) out[i] = in[i] * factor * scale[i];
    } else {
      for (std::int64_t i = 0; i < n; ++i) out[i] = in[i] * factor;
    }
  }
}

// With g = dy * scale: dx = inv * (g - x * inv^2 * mean(g * x)).
KD_NN_INLINE void rms_norm_backward_of(const float* x, const float* scale, const float* inv,
                                       const float* dy, std::int64_t rows, std::int64_t n,
                                       float* dx, float* __restrict dscale) {
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* __restrict in = x + row * n;
    const float* __restrict grad = dy + row * n;
    float* __restrict out = dx + row * n;
    float factor = inv[row], sum = 0;
    if (scale) {
#pragma omp simd reduction(+ : sum)
      for (std::int64_t i = 0; i < n; ++i) sum += grad[i] * scale[i] * in[i];
    } else {
#pragma omp simd reduction(+ : sum)
      for (std::int64_t i = 0; i < n; ++i) sum += grad[i] * in[i];
    }
    float back = sum / static_cast<float>(n) * factor * factor;
    if (scale) {
      for (std::int64_t i = 0; i < n; ++i) out[i] = factor * (grad[i] * scale[i] - in[i] * back);
    } else {
      for (std::int64_t i = 0; i < n; ++i) out[i] = factor * (grad[i] - in[i] * back);
    }
    if (dscale) {
      for (std::int64_t i = 0; i < n; ++i) dscale[i] += grad[i] * in[i] * factor;
    }
  }
}

// One compilation of the loops above: functions with an attribute, and their table.
#define KD_NN_VARIANT(variant, attribute)                                                         \
  namespace variant {                                                                             \
  attribute void gelu(const float* x, std::int64_t n, float* y) { gelu_of(x, n, y); }             \
  attribute void gelu_backward(const float* x, const float* dy, std::int64_t n, float* dx) {      \
    gelu_backward_of(x, dy, n, dx);                                                               \
  }                                                                                               \
  attribute void rms_norm(const float* x, const float* scale, std::int64_t rows, std::int64_t n,  \
                          float epsilon, float* y, float* inv) {                                  \
    rms_norm_of(x, scale, rows, n, epsilon, y, inv);                                              \
  }                                                                                               \
  attribute void rms_norm_backward(const float* x, const float* scale, const float* inv,          \
                                   const float* dy, std::int64_t rows, std::int64_t n, float* dx, \
                                   float* dscale) {                                               \
    rms_norm_backward_of(x, scale, inv, dy, rows, n, dx, dscale);                                 \
  }                                                                                               \
  constexpr Kernels kKernels = {gelu, gelu_backward, rms_norm, rms_norm_backward};                \
  }

KD_NN_VARIANT(portable, )
#ifdef __x86_64__
KD_NN_VARIANT(avx2, __attribute__((target("avx2,fma"))))
#endif

}  // namespace

const Kernels& kernels() {
#ifdef __x86_64__
  static const bool fast = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (fast) return avx2::kKernels;
#endif
  return portable::kKernels;
}

}  // namespace kd::nn::detail
