// The inner loops of fused optimizer steps: one transformation over a short run of elements that
// stays in the cache. Every operation rounds as the plain tensor operations do, so that both ways
// give the same bits.
#pragma once

#include <cstdint>

namespace kd::optim::kernels {

// A run of elements of one leaf: its updates `u`, parameters `p`, and up to two states.
struct Run {
  float* u;
  float* p;
  float* s0;
  float* s1;
  std::int64_t n;
};

// What is done with a run. `c` are the numbers of this step.
using Kernel = void (*)(const Run& run, const float* c);

void scale(const Run& run, const float* c);         // u = c0 * u
void shrink(const Run& run, const float* c);        // u = c1 * (u / c0)
void clip(const Run& run, const float* c);          // -c0 to c0
void sign(const Run& run, const float* c);          // NaN stays
void zero(const Run& run, const float* c);          // u = 0
void decay(const Run& run, const float* c);         // u = u + c0 * p
void decay_to(const Run& run, const float* c);      // u = u + c0 * (p - s0)
void trace(const Run& run, const float* c);         // s0 = u + c0 * s0; u = s0
void trace_ahead(const Run& run, const float* c);   // ... u = u + c0 * s0
void ema(const Run& run, const float* c);           // s0 = c0 * u + c1 * s0; u = s0
void ema_debiased(const Run& run, const float* c);  // ... u = s0 / c2
void ema_params(const Run& run, const float* c);    // s0 = c0 * (p + u) + c1 * s0
void rms(const Run& run, const float* c);          // s0 = c0*u*u + c1*s0; u = 1 / sqrt(s0 + c2) * u
void rms_outside(const Run& run, const float* c);  // ... u = 1 / (sqrt(s0) + c2) * u
void lion(const Run& run, const float* c);         // u = sign(c0*u + c1*s0), s0 = c2*u + c3*s0
// s0 = c0*u + c1*s0; s1 = c2*u*u + c3*s1; u = s0/c4 / (sqrt(s1/c5 + c6) + c7)
void adam(const Run& run, const float* c);
// ... with c1 * (s0/c8) + c0 * (u/c4) in place of s0/c4
void adam_ahead(const Run& run, const float* c);
void apply(const Run& run, const float* c);  // p = p + u

// Of at most a few thousand elements; the order of additions is fixed.
float sum(const float* x, std::int64_t n);
float sum_of_squares(const float* x, std::int64_t n);

}  // namespace kd::optim::kernels
