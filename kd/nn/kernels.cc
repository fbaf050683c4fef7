// Inner loops, compiled once for any processor and once for AVX2 with fused multiply-add. They
// become vector code with the options that CMakeLists.txt gives this file.
#include "kd/nn/kernels_impl.h"

#define KD_NN_INLINE inline __attribute__((always_inline))

namespace kd::nn::detail {
namespace {

// Fused where the processor can: in software it would be slow.
template <bool Fused>
KD_NN_INLINE float multiply_add(float a, float b, float c) {
  return Fused ? __builtin_fmaf(a, b, c) : a * b + c;
}

// Coefficients of the highest power first.
template <bool Fused, int N>
KD_NN_INLINE float polynomial(const float (&c)[N], float x) {
  float y = c[0];
#pragma GCC unroll 8
  for (int i = 1; i < N; ++i) y = multiply_add<Fused>(y, x, c[i]);
  return y;
}

// tanh as the reference's compiler (XLA, on CPUs) has it: a quotient of polynomials, the same bits
// where multiplication and addition are fused. GELU takes 1 + tanh near -1, where the last bits are
// all that is left.
template <bool Fused>
KD_NN_INLINE float tanh_of(float x) {
  constexpr float kP[] = {-2.76076847742355e-16f, 2.00018790482477e-13f, -8.60467152213735e-11f,
                          5.12229709037114e-08f,  1.48572235717979e-05f, 6.37261928875436e-04f,
                          4.89352455891786e-03f};
  constexpr float kQ[] = {1.19825839466702e-06f, 1.18534705686654e-04f, 2.26843463243900e-03f,
                          4.89352518554385e-03f};
  constexpr float kLimit = 7.99881172f;  // from here on it is 1
  float square = x * x;
  float y = x * polynomial<Fused>(kP, square) / polynomial<Fused>(kQ, square);
  return __builtin_fabsf(x) >= kLimit ? __builtin_copysignf(1.0f, x) : y;
}

constexpr float kSlope = 0.797884583f;  // sqrt(2 / pi)
constexpr float kCubic = 0.044715f;

template <bool Fused>
KD_NN_INLINE float inner_tanh(float x) {
  return tanh_of<Fused>(kSlope * (x + kCubic * (x * (x * x))));
}

template <bool Fused>
KD_NN_INLINE void gelu_of(const float* __restrict x, std::int64_t n, float* __restrict y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = x[i] * (0.5f * (1.0f + inner_tanh<Fused>(x[i])));
}

// Operation by operation as the reference differentiates it: near -5 most digits cancel.
template <bool Fused>
KD_NN_INLINE void gelu_backward_of(const float* __restrict x, const float* __restrict dy,
                                   std::int64_t n, float* __restrict dx) {
  for (std::int64_t i = 0; i < n; ++i) {
    float t = inner_tanh<Fused>(x[i]);
    float s = 0.5f * (x[i] * dy[i]) * (1.0f - t);
    float through = kSlope * (s + s * t);
    dx[i] = dy[i] * (0.5f * (1.0f + t)) + through + kCubic * through * (3.0f * (x[i] * x[i]));
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
#define KD_NN_VARIANT(variant, fused, attribute)                                                  \
  namespace variant {                                                                             \
  attribute void gelu(const float* x, std::int64_t n, float* y) { gelu_of<fused>(x, n, y); }      \
  attribute void gelu_backward(const float* x, const float* dy, std::int64_t n, float* dx) {      \
    gelu_backward_of<fused>(x, dy, n, dx);                                                        \
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

KD_NN_VARIANT(portable, false, )
#ifdef __x86_64__
KD_NN_VARIANT(avx2, true, __attribute__((target("avx2,fma"))))
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
