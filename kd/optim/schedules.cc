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

double ConstantSchedule::operator()(Step) const { return value; }
bool ConstantSchedule::is_plain() const { return true; }

double LinearSchedule::operator()(Step step) const {
  return polynomial(init_value, end_value, 1, transition_steps, transition_begin, step);
}
bool LinearSchedule::is_plain() const { return transition_steps <= 0; }

double PolynomialSchedule::operator()(Step step) const {
  return polynomial(init_value, end_value, power, transition_steps, transition_begin, step);
}
bool PolynomialSchedule::is_plain() const { return transition_steps <= 0; }

double ExponentialDecay::operator()(Step step) const { return exponential(*this, step); }
bool ExponentialDecay::is_plain() const { return transition_steps <= 0 || decay_rate == 0; }

double CosineDecay::operator()(Step step) const {
  check(*this);
  return cosine(init_value, decay_steps, alpha, exponent, step);
}
bool CosineDecay::is_plain() const { return true; }

double WarmupConstant::operator()(Step step) const {
  return polynomial(init_value, peak_value, 1, warmup_steps, 0, step);
}
bool WarmupConstant::is_plain() const { return warmup_steps <= 0; }

double WarmupCosineDecay::operator()(Step step) const {
  check(*this);
  if (step < warmup_steps) {
    return polynomial(init_value, peak_value, 1, warmup_steps, 0, step);
  }
  const double alpha = peak_value == 0 ? 0 : end_value / peak_value;
  return cosine(peak_value, decay_steps - warmup_steps, alpha, exponent, step - warmup_steps);
}
bool WarmupCosineDecay::is_plain() const { return warmup_steps <= 0; }

double WarmupExponentialDecay::operator()(Step step) const {
  if (step < warmup_steps) {
    return polynomial(init_value, peak_value, 1, warmup_steps, 0, step);
  }
  const ExponentialDecay decay{.init_value = *peak_value,
                               .transition_steps = *transition_steps,
                               .decay_rate = *decay_rate,
                               .transition_begin = transition_begin,
                               .staircase = staircase,
                               .end_value = end_value};
  return exponential(decay, step - warmup_steps);
}
bool WarmupExponentialDecay::is_plain() const {
  return warmup_steps <= 0 && (transition_steps <= 0 || decay_rate == 0);
}

double Sgdr::operator()(Step step) const {
  const auto& cycles = *cosine_kwargs;
  if (cycles.empty()) {
    throw konfig::Error(konfig::ErrorKind::value, "cosine_kwargs", "expected one cycle or more");
  }
  std::size_t i = 0;
  for (; i + 1 < cycles.size() && step >= cycles[i].decay_steps; ++i) step -= cycles[i].decay_steps;
  return cycles[i](step);
}
bool Sgdr::is_plain() const {
  return std::all_of(cosine_kwargs->begin(), cosine_kwargs->end(),
                     [](const WarmupCosineDecay& cycle) { return cycle.is_plain(); });
}

double JoinSchedules::operator()(Step step) const {
  const auto& parts = *schedules;
  const auto& starts = *boundaries;
  if (parts.size() != starts.size() + 1) {
    throw konfig::Error(konfig::ErrorKind::value, "boundaries",
                        "expected one less than there are schedules (" +
                            std::to_string(parts.size()) + "), got " +
                            std::to_string(starts.size()));
  }
  // The last boundary that was passed decides, whatever their order.
  std::size_t i = starts.size();
  while (i > 0 && step < starts[i - 1]) --i;
  return parts[i](i == 0 ? step : step - starts[i - 1]);
}
bool JoinSchedules::is_plain() const {
  return std::all_of(schedules->begin(), schedules->end(), [](const Poly<ScheduleFn>& part) {
    return ops_of(part).is_plain(part.object().get());
  });
}

}  // namespace kd::optim
