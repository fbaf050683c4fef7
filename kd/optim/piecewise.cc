// Schedules through given points.
#include "kd/optim/piecewise.h"

#include <cmath>
#include <map>
#include <numbers>

#include "kd/optim/check_schedules.h"
#include "kd/optim/schedule.h"

namespace kd::optim {

namespace {

using Step = std::int64_t;
using Points = std::vector<std::pair<int, double>>;  // step and scale, by step

float between(bool linear, float start, float end, float part) {
  if (linear) return (end - start) * part + start;
  return end + (start - end) / 2.0f * (std::cos(std::numbers::pi_v<float> * part) + 1);
}

// The value after each point is the one before times its scale.
double interpolate(bool linear, double init_value, const Points& points, Step step) {
  if (step < 0) return 0;
  float start = static_cast<float>(init_value);
  int begin = 0;
  for (auto& [end, scale] : points) {
    const float target = start * static_cast<float>(scale);
    if (begin <= step && step < end) {
      const float part = static_cast<float>(step - begin) / static_cast<float>(end - begin);
      return between(linear, start, target, part);
    }
    start = target;
    begin = end;
  }
  return start;
}

// Of two points at one step the later one counts.
Points points_of(std::initializer_list<std::pair<const int, double>> points) {
  std::map<int, double> sorted;
  for (auto& [step, scale] : points) sorted[step] = scale;
  return {sorted.begin(), sorted.end()};
}

}  // namespace

double PiecewiseConstant::operator()(Step step) const {
  float value = static_cast<float>(init_value);
  for (auto& [boundary, scale] : boundaries_of(boundaries_and_scales)) {
    if (step >= boundary) value *= static_cast<float>(scale);
  }
  return value;
}
bool PiecewiseConstant::is_plain() const { return true; }

double PiecewiseInterpolate::operator()(Step step) const {
  check(*this);
  return interpolate(*interpolate_type == InterpolateType::linear, init_value,
                     boundaries_of(boundaries_and_scales), step);
}

double LinearOnecycle::operator()(Step step) const {
  check(*this);
  const int steps = transition_steps;
  return interpolate(true, peak_value / div_factor,
                     points_of({{static_cast<int>(pct_start * steps), div_factor},
                                {static_cast<int>(pct_final * steps), 1.0 / div_factor},
                                {steps, 1.0 / final_div_factor}}),
                     step);
}

double CosineOnecycle::operator()(Step step) const {
  check(*this);
  const int steps = transition_steps;
  return interpolate(false, peak_value / div_factor,
                     points_of({{static_cast<int>(pct_start * steps), div_factor},
                                {steps, 1.0 / (div_factor * final_div_factor)}}),
                     step);
}

}  // namespace kd::optim
