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

double evaluate(const PiecewiseConstant& s, Step step) {
  float value = static_cast<float>(s.init_value);
  for (auto& [boundary, scale] : boundaries_of(s.boundaries_and_scales)) {
    if (step >= boundary) value *= static_cast<float>(scale);
  }
  return value;
}
bool is_plain(const PiecewiseConstant&) { return true; }

double evaluate(const PiecewiseInterpolate& s, Step step) {
  check(s);
  return interpolate(*s.interpolate_type == "linear", s.init_value,
                     boundaries_of(s.boundaries_and_scales), step);
}

double evaluate(const LinearOnecycle& s, Step step) {
  check(s);
  const int steps = s.transition_steps;
  return interpolate(true, s.peak_value / s.div_factor,
                     points_of({{static_cast<int>(s.pct_start * steps), s.div_factor},
                                {static_cast<int>(s.pct_final * steps), 1.0 / s.div_factor},
                                {steps, 1.0 / s.final_div_factor}}),
                     step);
}

double evaluate(const CosineOnecycle& s, Step step) {
  check(s);
  const int steps = s.transition_steps;
  return interpolate(false, s.peak_value / s.div_factor,
                     points_of({{static_cast<int>(s.pct_start * steps), s.div_factor},
                                {steps, 1.0 / (s.div_factor * s.final_div_factor)}}),
                     step);
}

}  // namespace kd::optim

KD_IMPLEMENT(kd::ScheduleFn, kd::optim::PiecewiseConstant);
KD_IMPLEMENT(kd::ScheduleFn, kd::optim::PiecewiseInterpolate);
KD_IMPLEMENT(kd::ScheduleFn, kd::optim::LinearOnecycle);
KD_IMPLEMENT(kd::ScheduleFn, kd::optim::CosineOnecycle);
