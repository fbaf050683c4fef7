// The inner loops of fused optimizer steps, as the compiler turns them into vector code. Compiled
// with -ffp-contract=off: no operation may be merged with another.
#include "kd/optim/kernels_impl.h"

#include <cmath>
#include <cstring>

// One copy for each kind of processor; which one runs is decided when the library is loaded.
#if defined(__x86_64__) && defined(__linux__) && !defined(__clang__)
#define KD_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define KD_CLONES
#endif

namespace kd::optim::kernels {

namespace {

float sign_of(float x) {
  const float one = x > 0 ? 1.0f : (x < 0 ? -1.0f : 0.0f);
  return x != x ? x : one;
}

}  // namespace

// The pointers of a run never overlap.
#define KD_UPDATES(run) float* __restrict u = (run).u
#define KD_PARAMS(run) float* __restrict p = (run).p
#define KD_STATE(run) float* __restrict s = (run).s0

KD_CLONES void scale(const Run& run, const float* c) {
  KD_UPDATES(run);
  const float c0 = c[0];
  for (std::int64_t i = 0; i < run.n; ++i) u[i] = c0 * u[i];
}

KD_CLONES void shrink(const Run& run, const float* c) {
  KD_UPDATES(run);
  const float c0 = c[0], c1 = c[1];
  for (std::int64_t i = 0; i < run.n; ++i) u[i] = c1 * (u[i] / c0);
}

KD_CLONES void clip(const Run& run, const float* c) {
  KD_UPDATES(run);
  const float c0 = c[0];
  for (std::int64_t i = 0; i < run.n; ++i) {
    const float low = u[i] < -c0 ? -c0 : u[i];
    u[i] = low > c0 ? c0 : low;
  }
}

KD_CLONES void sign(const Run& run, const float*) {
  KD_UPDATES(run);
  for (std::int64_t i = 0; i < run.n; ++i) u[i] = sign_of(u[i]);
}

void zero(const Run& run, const float*) {
  std::memset(run.u, 0, static_cast<std::size_t>(run.n) * sizeof(float));
}

KD_CLONES void decay(const Run& run, const float* c) {
  KD_UPDATES(run);
  KD_PARAMS(run);
  const float c0 = c[0];
  for (std::int64_t i = 0; i < run.n; ++i) u[i] = u[i] + c0 * p[i];
}

KD_CLONES void decay_to(const Run& run, const float* c) {
  KD_UPDATES(run);
  KD_PARAMS(run);
  KD_STATE(run);
  const float c0 = c[0];
  for (std::int64_t i = 0; i < run.n; ++i) u[i] = u[i] + c0 * (p[i] - s[i]);
}

KD_CLONES void trace(const Run& run, const float* c) {
  KD_UPDATES(run);
  KD_STATE(run);
  const float c0 = c[0];
  for (std::int64_t i = 0; i < run.n; ++i) u[i] = s[i] = u[i] + c0 * s[i];
}

KD_CLONES void trace_ahead(const Run& run, const float* c) {
  KD_UPDATES(run);
  KD_STATE(run);
  const float c0 = c[0];
  for (std::int64_t i = 0; i < run.n; ++i) {
    const float next = u[i] + c0 * s[i];
    s[i] = next;
    u[i] = u[i] + c0 * next;
  }
}

KD_CLONES void ema(const Run& run, const float* c) {
  KD_UPDATES(run);
  KD_STATE(run);
  const float c0 = c[0], c1 = c[1];
  for (std::int64_t i = 0; i < run.n; ++i) u[i] = s[i] = c0 * u[i] + c1 * s[i];
}

KD_CLONES void ema_debiased(const Run& run, const float* c) {
  KD_UPDATES(run);
  KD_STATE(run);
  const float c0 = c[0], c1 = c[1], c2 = c[2];
  for (std::int64_t i = 0; i < run.n; ++i) {
    const float next = c0 * u[i] + c1 * s[i];
    s[i] = next;
    u[i] = next / c2;
  }
}

KD_CLONES void ema_params(const Run& run, const float* c) {
  KD_UPDATES(run);
  KD_PARAMS(run);
  KD_STATE(run);
  const float c0 = c[0], c1 = c[1];
  for (std::int64_t i = 0; i < run.n; ++i) s[i] = c0 * (p[i] + u[i]) + c1 * s[i];
}

KD_CLONES void rms(const Run& run, const float* c) {
  KD_UPDATES(run);
  KD_STATE(run);
  const float c0 = c[0], c1 = c[1], c2 = c[2];
  for (std::int64_t i = 0; i < run.n; ++i) {
    const float next = c0 * (u[i] * u[i]) + c1 * s[i];
    s[i] = next;
    u[i] = 1.0f / std::sqrt(next + c2) * u[i];
  }
}

KD_CLONES void rms_outside(const Run& run, const float* c) {
  KD_UPDATES(run);
  KD_STATE(run);
  const float c0 = c[0], c1 = c[1], c2 = c[2];
  for (std::int64_t i = 0; i < run.n; ++i) {
    const float next = c0 * (u[i] * u[i]) + c1 * s[i];
    s[i] = next;
    u[i] = 1.0f / (std::sqrt(next) + c2) * u[i];
  }
}

KD_CLONES void lion(const Run& run, const float* c) {
  KD_UPDATES(run);
  KD_STATE(run);
  const float c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3];
  for (std::int64_t i = 0; i < run.n; ++i) {
    const float mixed = c0 * u[i] + c1 * s[i];
    s[i] = c2 * u[i] + c3 * s[i];
    u[i] = sign_of(mixed);
  }
}

KD_CLONES void adam(const Run& run, const float* c) {
  KD_UPDATES(run);
  float* __restrict mu = run.s0;
  float* __restrict nu = run.s1;
  const float c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3], c4 = c[4], c5 = c[5], c6 = c[6],
              c7 = c[7];
  for (std::int64_t i = 0; i < run.n; ++i) {
    const float m = c0 * u[i] + c1 * mu[i];
    const float v = c2 * (u[i] * u[i]) + c3 * nu[i];
    mu[i] = m;
    nu[i] = v;
    u[i] = m / c4 / (std::sqrt(v / c5 + c6) + c7);
  }
}

KD_CLONES void adam_ahead(const Run& run, const float* c) {
  KD_UPDATES(run);
  float* __restrict mu = run.s0;
  float* __restrict nu = run.s1;
  const float c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3], c4 = c[4], c5 = c[5], c6 = c[6],
              c7 = c[7], c8 = c[8];
  for (std::int64_t i = 0; i < run.n; ++i) {
    const float m = c0 * u[i] + c1 * mu[i];
    const float v = c2 * (u[i] * u[i]) + c3 * nu[i];
    mu[i] = m;
    nu[i] = v;
    u[i] = (c1 * (m / c8) + c0 * (u[i] / c4)) / (std::sqrt(v / c5 + c6) + c7);
  }
}

KD_CLONES void apply(const Run& run, const float*) {
  KD_UPDATES(run);
  KD_PARAMS(run);
  for (std::int64_t i = 0; i < run.n; ++i) p[i] = p[i] + u[i];
}

namespace {

constexpr int kLanes = 32;

float add_lanes(float* lanes) {
  for (int width = kLanes / 2; width > 0; width /= 2) {
    for (int j = 0; j < width; ++j) lanes[j] += lanes[j + width];
  }
  return lanes[0];
}

}  // namespace

KD_CLONES float sum(const float* x, std::int64_t n) {
  float lanes[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int j = 0; j < kLanes; ++j) lanes[j] += x[i + j];
  }
  for (int j = 0; i < n; ++i, ++j) lanes[j] += x[i];
  return add_lanes(lanes);
}

KD_CLONES float sum_of_squares(const float* x, std::int64_t n) {
  float lanes[kLanes] = {};
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int j = 0; j < kLanes; ++j) lanes[j] += x[i + j] * x[i + j];
  }
  for (int j = 0; i < n; ++i, ++j) lanes[j] += x[i] * x[i];
  return add_lanes(lanes);
}

}  // namespace kd::optim::kernels
