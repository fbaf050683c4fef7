// Numbers that change over training.
#pragma once

#include <variant>

#include "kd/interfaces.h"

namespace kd {

// A number, or a schedule of it.
struct Schedule : std::variant<double, Poly<ScheduleFn>> {
  static constexpr std::string_view konfig_name = "a number or a schedule";
  using variant::variant;
  Schedule(int value) : variant(static_cast<double>(value)) {}
};

}  // namespace kd

namespace kd::optim {

// Linear warm-up to the peak, then a cosine decay to the end value.
struct WarmupCosineDecay {
  double init_value = 0.0;      // at step 0
  Required<double> peak_value;  // after the warm-up
  int warmup_steps = 0;         // length of the linear part
  Required<int> decay_steps;    // length of both parts together
  double end_value = 0.0;       // at the end of the decay
  double exponent = 1.0;        // of the cosine
};

// A cosine decay from the start.
struct CosineDecay {
  Required<double> init_value;  // at step 0
  Required<int> decay_steps;    // length of the decay
  double alpha = 0.0;           // end value as a fraction of the initial one
  double exponent = 1.0;        // of the cosine
};

// The same value at every step.
struct ConstantSchedule {
  Required<double> value;
};

}  // namespace kd::optim

KONFIG_COMPONENT(kd::ScheduleFn, kd::optim::WarmupCosineDecay,
                 "optax:warmup_cosine_decay_schedule");
KONFIG_COMPONENT(kd::ScheduleFn, kd::optim::CosineDecay, "optax:cosine_decay_schedule");
KONFIG_COMPONENT(kd::ScheduleFn, kd::optim::ConstantSchedule, "optax:constant_schedule");
