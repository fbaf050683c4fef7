// Schedules through given points: steps, and the scale by which the value changes there.
#pragma once

#include <cstdint>

#include "kd/core/interfaces.h"

namespace kd::optim {

// Multiplied by a scale at each boundary: `konfig::Dict{{100, 0.1}, {200, 0.5}}`.
struct PiecewiseConstant {
  Required<double> init_value;               // before the first boundary
  konfig::Value boundaries_and_scales = {};  // step to scale
  void konfig_post_resolve(const konfig::ConfigDict& node);
  double operator()(std::int64_t step) const;
  bool is_plain() const;
};

enum class InterpolateType { linear, cosine };

// Between the values that PiecewiseConstant has at its boundaries.
struct PiecewiseInterpolate {
  Required<InterpolateType> interpolate_type;  // the curve between two boundaries
  Required<double> init_value;                 // at step 0
  konfig::Value boundaries_and_scales = {};    // step to scale
  void konfig_post_resolve(const konfig::ConfigDict& node);
  double operator()(std::int64_t step) const;
};

// Up to the peak, back down, and further down at the end.
struct LinearOnecycle {
  Required<int> transition_steps;    // length of the cycle
  Required<double> peak_value;       // the highest value
  double pct_start = 0.3;            // fraction of the cycle that rises
  double pct_final = 0.85;           // fraction after which the end begins
  double div_factor = 25.0;          // peak over first value
  double final_div_factor = 10000.;  // first over last value
  void konfig_post_resolve(const konfig::ConfigDict& node);
  double operator()(std::int64_t step) const;
};

// Up to the peak and down again, both as a half cosine.
struct CosineOnecycle {
  Required<int> transition_steps;    // length of the cycle
  Required<double> peak_value;       // the highest value
  double pct_start = 0.3;            // fraction of the cycle that rises
  double div_factor = 25.0;          // peak over first value
  double final_div_factor = 10000.;  // first over last value
  void konfig_post_resolve(const konfig::ConfigDict& node);
  double operator()(std::int64_t step) const;
};

}  // namespace kd::optim

KONFIG_COMPONENT(kd::ScheduleFn, kd::optim::PiecewiseConstant, "optax:piecewise_constant_schedule");
KONFIG_COMPONENT(kd::ScheduleFn, kd::optim::PiecewiseInterpolate,
                 "optax:piecewise_interpolate_schedule");
KONFIG_COMPONENT(kd::ScheduleFn, kd::optim::LinearOnecycle, "optax:linear_onecycle_schedule");
KONFIG_COMPONENT(kd::ScheduleFn, kd::optim::CosineOnecycle, "optax:cosine_onecycle_schedule");
