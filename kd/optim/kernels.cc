// The inner loops of fused optimizer steps, as the compiler turns them into vector code. Compiled
// with -ffp-contract=off: no operation may be merged with another.
#include "kd/optim/engine/kernels.h"

#include <cmath>
#include <cstring>

// One copy for each kind of processor; which one runs is decided when the library is loaded, before
// a sanitizer is ready for it.
#if defined(__x86_64__) && defined(__linux__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define KD_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define KD_CLONES
#endif

// Elements do not depend on each other, even where `in` is `u`.
#if defined(__clang__)
#define KD_EACH(run) \
  _Pragma("clang loop vectorize(assume_safety)") for (std::int64_t i = 0; i < (run).n; ++i)
#else
#define KD_EACH(run) _Pragma("GCC ivdep") for (std::int64_t i = 0; i < (run).n; ++i)
#endif

namespace kd::optim::kernels {

namespace {

float sign_of(float x) {
  const float one = x > 0 ? 1.0f : (x < 0 ? -1.0f : 0.0f);
  return x != x ? x : one;
}

// What a stage makes of an element. The state is changed on the way.

struct In {
  const float* in;
  In(const Run& run, const float*) : in(run.in) {}
  float operator()(std::int64_t i) const { return in[i]; }
};

struct Trace {
  const float* in;
  float* s;
  float c0;
  Trace(const Run& run, const float* c) : in(run.in), s(run.s0), c0(c[0]) {}
  float operator()(std::int64_t i) const { return s[i] = in[i] + c0 * s[i]; }
};

struct Lion {
  const float* in;
  float* s;
  float c0, c1, c2, c3;
  Lion(const Run& run, const float* c)
      : in(run.in), s(run.s0), c0(c[0]), c1(c[1]), c2(c[2]), c3(c[3]) {}
  float operator()(std::int64_t i) const {
    const float g = in[i], mixed = c0 * g + c1 * s[i];
    s[i] = c2 * g + c3 * s[i];
    return sign_of(mixed);
  }
};

struct Adam {
  const float* in;
  float *mu, *nu;
  float c0, c1, c2, c3, c4, c5, c6, c7;
  Adam(const Run& run, const float* c)
      : in(run.in),
        mu(run.s0),
        nu(run.s1),
        c0(c[0]),
        c1(c[1]),
        c2(c[2]),
        c3(c[3]),
        c4(c[4]),
        c5(c[5]),
        c6(c[6]),
        c7(c[7]) {}
  float operator()(std::int64_t i) const {
    const float g = in[i];
    const float m = c0 * g + c1 * mu[i];
    const float v = c2 * (g * g) + c3 * nu[i];
    mu[i] = m;
    nu[i] = v;
    return m / c4 / (std::sqrt(v / c5 + c6) + c7);
  }
};

template <class Stage>
[[gnu::always_inline]] inline void to_updates(const Run& run, const float* c) {
  const Stage stage(run, c);
  float* u = run.u;
  KD_EACH(run) u[i] = stage(i);
}

template <class Stage>
[[gnu::always_inline]] inline void to_scaled(const Run& run, const float* c) {
  const Stage stage(run, c);
  float* p = run.p;
  const float scale = run.scale;
  KD_EACH(run) p[i] = p[i] + scale * stage(i);
}

template <class Stage>
[[gnu::always_inline]] inline void to_decayed(const Run& run, const float* c) {
  const Stage stage(run, c);
  float* p = run.p;
  const float scale = run.scale, decay = run.decay;
  KD_EACH(run) p[i] = p[i] + scale * (stage(i) + decay * p[i]);
}

}  // namespace

// ---- Stages.

KD_CLONES void scale(const Run& run, const float* c) {
  const float c0 = c[0];
  KD_EACH(run) run.u[i] = c0 * run.in[i];
}

KD_CLONES void shrink(const Run& run, const float* c) {
  const float c0 = c[0], c1 = c[1];
  KD_EACH(run) run.u[i] = c1 * (run.in[i] / c0);
}

KD_CLONES void clip(const Run& run, const float* c) {
  const float c0 = c[0];
  KD_EACH(run) {
    const float low = run.in[i] < -c0 ? -c0 : run.in[i];
    run.u[i] = low > c0 ? c0 : low;
  }
}

KD_CLONES void sign(const Run& run, const float*) { KD_EACH(run) run.u[i] = sign_of(run.in[i]); }

void zero(const Run& run, const float*) {
  std::memset(run.u, 0, static_cast<std::size_t>(run.n) * sizeof(float));
}

KD_CLONES void decay(const Run& run, const float* c) {
  const float c0 = c[0];
  KD_EACH(run) run.u[i] = run.in[i] + c0 * run.p[i];
}

KD_CLONES void decay_to(const Run& run, const float* c) {
  const float c0 = c[0];
  KD_EACH(run) run.u[i] = run.in[i] + c0 * (run.p[i] - run.s0[i]);
}

KD_CLONES void trace(const Run& run, const float* c) { to_updates<Trace>(run, c); }

KD_CLONES void trace_ahead(const Run& run, const float* c) {
  const float c0 = c[0];
  KD_EACH(run) {
    const float g = run.in[i], next = g + c0 * run.s0[i];
    run.s0[i] = next;
    run.u[i] = g + c0 * next;
  }
}

KD_CLONES void ema(const Run& run, const float* c) {
  const float c0 = c[0], c1 = c[1];
  KD_EACH(run) run.u[i] = run.s0[i] = c0 * run.in[i] + c1 * run.s0[i];
}

KD_CLONES void ema_debiased(const Run& run, const float* c) {
  const float c0 = c[0], c1 = c[1], c2 = c[2];
  KD_EACH(run) {
    const float next = c0 * run.in[i] + c1 * run.s0[i];
    run.s0[i] = next;
    run.u[i] = next / c2;
  }
}

KD_CLONES void ema_params(const Run& run, const float* c) {
  const float c0 = c[0], c1 = c[1];
  KD_EACH(run) {
    const float g = run.in[i];
    run.s0[i] = c0 * (run.p[i] + g) + c1 * run.s0[i];
    run.u[i] = g;
  }
}

KD_CLONES void rms(const Run& run, const float* c) {
  const float c0 = c[0], c1 = c[1], c2 = c[2];
  KD_EACH(run) {
    const float g = run.in[i], next = c0 * (g * g) + c1 * run.s0[i];
    run.s0[i] = next;
    run.u[i] = 1.0f / std::sqrt(next + c2) * g;
  }
}

KD_CLONES void rms_outside(const Run& run, const float* c) {
  const float c0 = c[0], c1 = c[1], c2 = c[2];
  KD_EACH(run) {
    const float g = run.in[i], next = c0 * (g * g) + c1 * run.s0[i];
    run.s0[i] = next;
    run.u[i] = 1.0f / (std::sqrt(next) + c2) * g;
  }
}

KD_CLONES void lion(const Run& run, const float* c) { to_updates<Lion>(run, c); }

KD_CLONES void adam(const Run& run, const float* c) { to_updates<Adam>(run, c); }

KD_CLONES void adam_ahead(const Run& run, const float* c) {
  const float c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3], c4 = c[4], c5 = c[5], c6 = c[6],
              c7 = c[7], c8 = c[8];
  KD_EACH(run) {
    const float g = run.in[i];
    const float m = c0 * g + c1 * run.s0[i];
    const float v = c2 * (g * g) + c3 * run.s1[i];
    run.s0[i] = m;
    run.s1[i] = v;
    run.u[i] = (c1 * (m / c8) + c0 * (g / c4)) / (std::sqrt(v / c5 + c6) + c7);
  }
}

KD_CLONES void adam_keras(const Run& run, const float* c) {
  const float c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3];
  KD_EACH(run) {
    const float g = run.in[i];
    const float m = run.s0[i] + c0 * (g - run.s0[i]);
    const float v = run.s1[i] + c1 * (g * g - run.s1[i]);
    run.s0[i] = m;
    run.s1[i] = v;
    run.u[i] = c2 * m / (std::sqrt(v) + c3);
  }
}

// ---- Finishes.

KD_CLONES void apply(const Run& run, const float*) { KD_EACH(run) run.p[i] = run.p[i] + run.in[i]; }

KD_CLONES void scale_apply(const Run& run, const float* c) { to_scaled<In>(run, c); }
KD_CLONES void decay_scale_apply(const Run& run, const float* c) { to_decayed<In>(run, c); }
KD_CLONES void trace_scale_apply(const Run& run, const float* c) { to_scaled<Trace>(run, c); }
KD_CLONES void trace_decay_scale_apply(const Run& run, const float* c) {
  to_decayed<Trace>(run, c);
}
KD_CLONES void lion_scale_apply(const Run& run, const float* c) { to_scaled<Lion>(run, c); }
KD_CLONES void lion_decay_scale_apply(const Run& run, const float* c) { to_decayed<Lion>(run, c); }
KD_CLONES void adam_scale_apply(const Run& run, const float* c) { to_scaled<Adam>(run, c); }
KD_CLONES void adam_decay_scale_apply(const Run& run, const float* c) { to_decayed<Adam>(run, c); }

KD_CLONES void average(const Run& run, const float* c) {
  const float c0 = c[0], c1 = c[1];
  KD_EACH(run) run.s0[i] = c0 * run.p[i] + c1 * run.s0[i];
}

// ---- Others.

KD_CLONES void root(float* x, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) x[i] = std::sqrt(x[i]);
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
