// The inner loops of fused optimizer steps. Each takes a short run of elements that stays in the
// cache. Every operation rounds as the plain tensor operations do, so that both ways give the same
// bits.
#pragma once

#include <cstdint>

namespace kd::optim::kernels {

// A run of elements of one leaf.
struct Run {
  const float* in;             // the updates so far; may be `u`
  float* u;                    // the updates from here on
  float* p;                    // parameters
  float *s0, *s1;              // states
  std::int64_t n;              // how many
  float scale = 0, decay = 0;  // of the finishes below
};

// What is done with a run. `c` are the numbers of this step.
using Kernel = void (*)(const Run& run, const float* c);

// ---- Stages: from `in` to `u`.

void scale(const Run& run, const float* c);         // u = c0 * in
void shrink(const Run& run, const float* c);        // u = c1 * (in / c0)
void clip(const Run& run, const float* c);          // -c0 to c0
void sign(const Run& run, const float* c);          // NaN stays
void zero(const Run& run, const float* c);          // u = 0
void decay(const Run& run, const float* c);         // u = in + c0 * p
void decay_to(const Run& run, const float* c);      // u = in + c0 * (p - s0)
void trace(const Run& run, const float* c);         // u = s0 = in + c0 * s0
void trace_ahead(const Run& run, const float* c);   // s0 = in + c0 * s0; u = in + c0 * s0
void ema(const Run& run, const float* c);           // u = s0 = c0 * in + c1 * s0
void ema_debiased(const Run& run, const float* c);  // s0 = c0 * in + c1 * s0; u = s0 / c2
void ema_params(const Run& run, const float* c);    // s0 = c0 * (p + in) + c1 * s0; u = in
void rms(const Run& run, const float* c);  // s0 = c0*in*in + c1*s0; u = 1 / sqrt(s0 + c2) * in
void rms_outside(const Run& run, const float* c);  // ... u = 1 / (sqrt(s0) + c2) * in
void lion(const Run& run, const float* c);         // u = sign(c0*in + c1*s0); s0 = c2*in + c3*s0
// s0 = c0*in + c1*s0; s1 = c2*in*in + c3*s1; u = s0/c4 / (sqrt(s1/c5 + c6) + c7)
void adam(const Run& run, const float* c);
// ... with c1 * (s0/c8) + c0 * (in/c4) in place of s0/c4
void adam_ahead(const Run& run, const float* c);
// As Keras has it: s0 += c0*(in - s0); s1 += c1*(in*in - s1); u = c2*s0 / (sqrt(s1) + c3)
void adam_keras(const Run& run, const float* c);

// ---- Finishes: a stage, and what follows it, at once.

void apply(const Run& run, const float* c);              // p = p + in
void scale_apply(const Run& run, const float* c);        // p = p + scale * in
void decay_scale_apply(const Run& run, const float* c);  // p = p + scale * (in + decay * p)
void trace_scale_apply(const Run& run, const float* c);
void trace_decay_scale_apply(const Run& run, const float* c);
void lion_scale_apply(const Run& run, const float* c);
void lion_decay_scale_apply(const Run& run, const float* c);
void adam_scale_apply(const Run& run, const float* c);
void adam_decay_scale_apply(const Run& run, const float* c);
void average(const Run& run, const float* c);  // after one of these: s0 = c0 * p + c1 * s0

// ---- Others.

void root(float* x, std::int64_t n);  // x = sqrt(x)

// Of at most a few thousand elements; the order of additions is fixed.
float sum(const float* x, std::int64_t n);
float sum_of_squares(const float* x, std::int64_t n);

}  // namespace kd::optim::kernels
