// log, log1p, erf and erf_inv of float32, operation by operation as the reference's compiler (XLA,
// on CPUs) computes them: the same bits. Straight code without branches, so that loops over it
// become vector code. The compiler must not fuse operations (-ffp-contract=off): where a product
// and a sum are one operation, it is written as fma.
#pragma once

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kd/random/threefry_impl.h"

namespace kd::random::detail {

KD_RANDOM_INLINE float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

// Coefficients of the highest power first.
template <int N>
KD_RANDOM_INLINE float horner(const float (&c)[N], float x) {
  float y = c[0];
#pragma GCC unroll 16
  for (int i = 1; i < N; ++i) y = fma(y, x, c[i]);
  return y;
}

// Of a positive, normal, finite number. Cephes' logf: v = m * 2**e with m in [sqrt(1/2), sqrt(2)).
KD_RANDOM_INLINE float log_positive(float v) {
  auto bits = std::bit_cast<std::uint32_t>(v);
  auto e = static_cast<float>(static_cast<std::int32_t>(bits >> 23) - 126);
  auto m = std::bit_cast<float>((bits & 0x007fffffu) | 0x3f000000u);
  bool low = m < 0.707106769f;
  float t = (m - 1) + (low ? m : 0.0f);
  e -= low ? 1.0f : 0.0f;
  float t2 = t * t, t3 = t2 * t;
  float y0 = fma(fma(0.0703768358f, t, -0.115146101f), t, 0.116769984f);
  float y1 = fma(fma(-0.12420141f, t, 0.142493233f), t, -0.166680574f);
  float y2 = fma(fma(0.200007141f, t, -0.24999994f), t, 0.333333313f);
  float y = fma(t3, fma(t3, y0, y1), y2);
  // log(2) in two parts, of which the first has few bits: e times it is exact.
  y = fma(t3, y, e * -2.12194442e-4f);
  return fma(e, 0.693359375f, fma(t2, -0.5f, t) + y);
}

KD_RANDOM_INLINE float log(float v) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  float y = log_positive(v > FLT_MIN ? v : FLT_MIN);
  y = v == kInf ? kInf : y;
  y = v == 0 ? -kInf : y;
  return v >= 0 ? y : std::numeric_limits<float>::quiet_NaN();
}

KD_RANDOM_INLINE float log1p(float x) {
  constexpr float kP[] = {4.52700006e-5f, 0.498541027f, 6.57873249f, 29.9119186f,
                          60.9496689f,    57.1129646f,  20.0395532f};
  constexpr float kQ[] = {1,           15.0629091f, 83.0475693f, 221.762405f,
                          309.098724f, 216.427887f, 60.1186600f};
  float x2 = x * x;
  float small = x + fma(x2, -0.5f, (x * x2) * (horner(kP, x) / horner(kQ, x)));
  float large = log(x + 1);
  return __builtin_fabsf(x) < 0.414213568f ? small : large;
}

KD_RANDOM_INLINE float erf(float x) {
  constexpr float kP[] = {2.29050653e-4f, 3.40829091e-3f, 0.0509556942f, 0.185208321f, 1.12837911f};
  constexpr float kQ[] = {-1.17916030e-7f,
                          2.35479656e-5f,
                          1.01796258e-3f,
                          0.0140704699f,
                          0.110985048f,
                          0.497469246f,
                          1};
  float x2 = x * x;
  float y = (x * horner(kP, x2)) / horner(kQ, x2);
  return __builtin_fabsf(x) >= 3.83250689f ? __builtin_copysignf(1, x) : y;
}

// Giles, "Approximating the erfinv function", 2010: one polynomial for the middle, one for the
// tails.
KD_RANDOM_INLINE float erf_inv(float x) {
  constexpr float kMiddle[] = {2.81022636e-8f,  3.43273939e-7f, -3.5233877e-6f,
                               -4.39150654e-6f, 2.1858087e-4f,  -1.25372503e-3f,
                               -4.17768164e-3f, 0.246640727f,   1.50140941f};
  constexpr float kTails[] = {-2.00214257e-4f, 1.00950558e-4f, 1.34934322e-3f,
                              -3.67342844e-3f, 5.73950773e-3f, -7.6224613e-3f,
                              9.43887047e-3f,  1.00167406f,    2.83297682f};
  float l = log1p(-(x * x));
  bool middle = l > -5;
  float w = middle ? -2.5f - l : __builtin_sqrtf(-l) - 3;
  float p = middle ? kMiddle[0] : kTails[0];
  // Written out: from a loop over the tables clang makes vector code that gathers from memory.
  p = fma(p, w, middle ? kMiddle[1] : kTails[1]);
  p = fma(p, w, middle ? kMiddle[2] : kTails[2]);
  p = fma(p, w, middle ? kMiddle[3] : kTails[3]);
  p = fma(p, w, middle ? kMiddle[4] : kTails[4]);
  p = fma(p, w, middle ? kMiddle[5] : kTails[5]);
  p = fma(p, w, middle ? kMiddle[6] : kTails[6]);
  p = fma(p, w, middle ? kMiddle[7] : kTails[7]);
  p = fma(p, w, middle ? kMiddle[8] : kTails[8]);
  p = __builtin_fabsf(x) == 1 ? std::numeric_limits<float>::infinity() : p;
  return x * p;
}

// From the low to the high end: 23 random bits of mantissa. The ends are not quite exact: the
// result may round up to lo + span.
KD_RANDOM_INLINE float uniform(std::uint32_t word, float lo, float span) {
  float u = std::bit_cast<float>(word >> 9 | 0x3f800000u) - 1;
  float y = fma(u, span, lo);
  return y > lo ? y : lo;
}

}  // namespace kd::random::detail
