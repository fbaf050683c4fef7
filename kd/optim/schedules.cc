// The schedules of Optax. Numbers of the config meet as doubles; everything that depends on the
// step is float32, as in the reference.
#include "kd/optim/schedules.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kd/optim/check_schedules.h"
#include "kd/optim/schedule.h"
#include "konfig/error.h"

namespace kd::optim {

namespace {

constexpr float kPi = std::numbers::pi_v<float>;
using Step = std::int64_t;

float power(float base, double exponent) {
  if (exponent == 1) return base;
  if (exponent == 2) return base * base;
  return std::pow(base, static_cast<float>(exponent));
}

float polynomial(double init_value, double end_value, double exponent, int steps, int begin,
                 Step step) {
  if (steps <= 0) return static_cast<float>(init_value);
  const Step count = std::clamp<Step>(step - std::max(begin, 0), 0, steps);
  const float left = 1 - static_cast<float>(count) / static_cast<float>(steps);
  return static_cast<float>(init_value - end_value) * power(left, exponent) +
         static_cast<float>(end_value);
}

float exponential(const ExponentialDecay& s, Step step) {
  const float init = static_cast<float>(s.init_value);
  if (s.transition_steps <= 0 || s.decay_rate == 0) return init;
  const Step count = step - std::max(s.transition_begin, 0);
  float value = init;
  if (count > 0) {
    float exponent = static_cast<float>(count) / static_cast<float>(*s.transition_steps);
    if (s.staircase) exponent = std::floor(exponent);
    value = init * std::pow(static_cast<float>(s.decay_rate), exponent);
  }
  if (s.end_value) {
    const float end = static_cast<float>(*s.end_value);
    value = s.decay_rate < 1 ? std::max(value, end) : std::min(value, end);
  }
  return value;
}

float cosine(double init_value, int decay_steps, double alpha, double exponent, Step step) {
  const float steps = static_cast<float>(decay_steps);
  const float count = std::min(static_cast<float>(step), steps);
  const float falling = 0.5f * (1 + std::cos(kPi * count / steps));
  const float rest = static_cast<float>(1 - alpha) * power(falling, exponent);
  return static_cast<float>(init_value) * (rest + static_cast<float>(alpha));
}

}  // namespace

double evaluate(const ConstantSchedule& s, Step) { return s.value; }
bool is_plain(const ConstantSchedule&) { return true; }

double evaluate(const LinearSchedule& s, Step step) {
  return polynomial(s.init_value, s.end_value, 1, s.transition_steps, s.transition_begin, step);
}
bool is_plain(const LinearSchedule& s) { return s.transition_steps <= 0; }

double evaluate(const PolynomialSchedule& s, Step step) {
  return polynomial(s.init_value, s.end_value, s.power, s.transition_steps, s.transition_begin,
                    step);
}
bool is_plain(const PolynomialSchedule& s) { return s.transition_steps <= 0; }

double evaluate(const ExponentialDecay& s, Step step) { return exponential(s, step); }
bool is_plain(const ExponentialDecay& s) { return s.transition_steps <= 0 || s.decay_rate == 0; }

double evaluate(const CosineDecay& s, Step step) {
  check(s);
  return cosine(s.init_value, s.decay_steps, s.alpha, s.exponent, step);
}
bool is_plain(const CosineDecay&) { return true; }

double evaluate(const WarmupConstant& s, Step step) {
  return polynomial(s.init_value, s.peak_value, 1, s.warmup_steps, 0, step);
}
bool is_plain(const WarmupConstant& s) { return s.warmup_steps <= 0; }

double evaluate(const WarmupCosineDecay& s, Step step) {
  check(s);
  if (step < s.warmup_steps) {
    return polynomial(s.init_value, s.peak_value, 1, s.warmup_steps, 0, step);
  }
  const double alpha = s.peak_value == 0 ? 0 : s.end_value / s.peak_value;
  return cosine(s.peak_value, s.decay_steps - s.warmup_steps, alpha, s.exponent,
                step - s.warmup_steps);
}
bool is_plain(const WarmupCosineDecay& s) { return s.warmup_steps <= 0; }

double evaluate(const WarmupExponentialDecay& s, Step step) {
  if (step < s.warmup_steps) {
    return polynomial(s.init_value, s.peak_value, 1, s.warmup_steps, 0, step);
  }
  const ExponentialDecay decay{.init_value = *s.peak_value,
                               .transition_steps = *s.transition_steps,
                               .decay_rate = *s.decay_rate,
                               .transition_begin = s.transition_begin,
                               .staircase = s.staircase,
                               .end_value = s.end_value};
  return exponential(decay, step - s.warmup_steps);
}
bool is_plain(const WarmupExponentialDecay& s) {
  return s.warmup_steps <= 0 && (s.transition_steps <= 0 || s.decay_rate == 0);
}

double evaluate(const Sgdr& s, Step step) {
  const auto& cycles = *s.cosine_kwargs;
  if (cycles.empty()) {
    throw konfig::Error(konfig::ErrorKind::value, "cosine_kwargs", "expected one cycle or more");
  }
  std::size_t i = 0;
  for (; i + 1 < cycles.size() && step >= cycles[i].decay_steps; ++i) step -= cycles[i].decay_steps;
  return evaluate(cycles[i], step);
}
bool is_plain(const Sgdr& s) {
  return std::all_of(s.cosine_kwargs->begin(), s.cosine_kwargs->end(),
                     [](const WarmupCosineDecay& cycle) { return is_plain(cycle); });
}

double evaluate(const JoinSchedules& s, Step step) {
  const auto& parts = *s.schedules;
  const auto& boundaries = *s.boundaries;
  if (parts.size() != boundaries.size() + 1) {
    throw konfig::Error(konfig::ErrorKind::value, "boundaries",
                        "expected one less than there are schedules (" +
                            std::to_string(parts.size()) + "), got " +
                            std::to_string(boundaries.size()));
  }
  // The last boundary that was passed decides, whatever their order.
  std::size_t i = boundaries.size();
  while (i > 0 && step < boundaries[i - 1]) --i;
  return parts[i](i == 0 ? step : step - boundaries[i - 1]);
}
bool is_plain(const JoinSchedules& s) {
  return std::all_of(s.schedules->begin(), s.schedules->end(), [](const Poly<ScheduleFn>& part) {
    return ops_of(part).is_plain(part.object().get());
  });
}

}  // namespace kd::optim

KD_IMPLEMENT(kd::ScheduleFn, kd::optim::ConstantSchedule);
KD_IMPLEMENT(kd::ScheduleFn, kd::optim::LinearSchedule);
KD_IMPLEMENT(kd::ScheduleFn, kd::optim::PolynomialSchedule);
KD_IMPLEMENT(kd::ScheduleFn, kd::optim::ExponentialDecay);
KD_IMPLEMENT(kd::ScheduleFn, kd::optim::CosineDecay);
KD_IMPLEMENT(kd::ScheduleFn, kd::optim::WarmupConstant);
KD_IMPLEMENT(kd::ScheduleFn, kd::optim::WarmupCosineDecay);
KD_IMPLEMENT(kd::ScheduleFn, kd::optim::WarmupExponentialDecay);
KD_IMPLEMENT(kd::ScheduleFn, kd::optim::Sgdr);
KD_IMPLEMENT(kd::ScheduleFn, kd::optim::JoinSchedules);
