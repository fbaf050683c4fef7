// Numbers that change over training.
//
//   cfg.optimizer = optim::Adam{.learning_rate = optim::CosineDecay{.init_value = 1e-3,
//                                                                   .decay_steps = 1000}};
//
// Steps are counted from 0. kd/optim/schedule.h evaluates them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kd/core/interfaces.h"

namespace kd::optim {

// A number, or a schedule of it. Also kd::Schedule.
struct Schedule : std::variant<double, Poly<ScheduleFn>> {
  static constexpr std::string_view konfig_name = "a number or a schedule";
  using variant::variant;
  Schedule(int value) : variant(static_cast<double>(value)) {}
};

// The same value at every step.
struct ConstantSchedule {
  Required<double> value;  // that of each step
  double operator()(std::int64_t step) const;
  bool is_plain() const;
};

// A straight line from one value to another; constant before and after.
struct LinearSchedule {
  Required<double> init_value;     // before the transition
  Required<double> end_value;      // after it
  Required<int> transition_steps;  // its length; 0 or less: init_value for ever
  int transition_begin = 0;        // its first step
  double operator()(std::int64_t step) const;
  bool is_plain() const;
};

// As linear, along a power of the remaining fraction.
struct PolynomialSchedule {
  Required<double> init_value;     // before the transition
  Required<double> end_value;      // after it
  Required<double> power;          // 1: a straight line
  Required<int> transition_steps;  // its length; 0 or less: init_value for ever
  int transition_begin = 0;        // its first step
  double operator()(std::int64_t step) const;
  bool is_plain() const;
};

// Multiplied by `decay_rate` every `transition_steps`.
struct ExponentialDecay {
  Required<double> init_value;           // before the decay
  Required<int> transition_steps;        // 0 or less: init_value for ever
  Required<double> decay_rate;           // 0: init_value for ever
  int transition_begin = 0;              // first step of the decay
  bool staircase = false;                // in steps instead of smoothly
  std::optional<double> end_value = {};  // a bound: below when decaying, above when growing
  double operator()(std::int64_t step) const;
  bool is_plain() const;
};

// A cosine decay from the start.
struct CosineDecay {
  Required<double> init_value;  // at step 0
  Required<int> decay_steps;    // length of the decay
  double alpha = 0.0;           // end value as a fraction of the initial one
  double exponent = 1.0;        // of the cosine
  void konfig_post_resolve(const konfig::ConfigDict& node);
  double operator()(std::int64_t step) const;
  bool is_plain() const;
};

// Linear warm-up, then constant.
struct WarmupConstant {
  Required<double> init_value;  // at step 0
  Required<double> peak_value;  // after the warm-up
  Required<int> warmup_steps;   // length of the linear part
  double operator()(std::int64_t step) const;
  bool is_plain() const;
};

// Linear warm-up to the peak, then a cosine decay to the end value.
struct WarmupCosineDecay {
  double init_value = 0.0;      // at step 0
  Required<double> peak_value;  // after the warm-up
  int warmup_steps = 0;         // length of the linear part
  Required<int> decay_steps;    // length of both parts together
  double end_value = 0.0;       // at the end of the decay
  double exponent = 1.0;        // of the cosine
  void konfig_post_resolve(const konfig::ConfigDict& node);
  double operator()(std::int64_t step) const;
  bool is_plain() const;
};

// Linear warm-up to the peak, then an exponential decay.
struct WarmupExponentialDecay {
  Required<double> init_value;           // at step 0
  Required<double> peak_value;           // after the warm-up
  Required<int> warmup_steps;            // length of the linear part
  Required<int> transition_steps;        // as in ExponentialDecay
  Required<double> decay_rate;           // as in ExponentialDecay
  int transition_begin = 0;              // counted from the end of the warm-up
  bool staircase = false;                // in steps instead of smoothly
  std::optional<double> end_value = {};  // a bound of the decay
  double operator()(std::int64_t step) const;
  bool is_plain() const;
};

// Cosine decays with warm restarts, one after the other.
struct Sgdr {
  Required<std::vector<WarmupCosineDecay>> cosine_kwargs;  // each as long as its decay_steps
  double operator()(std::int64_t step) const;
  bool is_plain() const;
};

// Schedules one after the other; each counts from its own beginning.
struct JoinSchedules {
  Required<std::vector<Poly<ScheduleFn>>> schedules;  // one more than boundaries
  Required<std::vector<int>> boundaries;              // first steps of all but the first
  double operator()(std::int64_t step) const;
  bool is_plain() const;
};

}  // namespace kd::optim

namespace kd {
using optim::Schedule;
}  // namespace kd

KONFIG_COMPONENT(kd::ScheduleFn, kd::optim::ConstantSchedule, "optax:constant_schedule");
KONFIG_COMPONENT(kd::ScheduleFn, kd::optim::LinearSchedule, "optax:linear_schedule");
KONFIG_COMPONENT(kd::ScheduleFn, kd::optim::PolynomialSchedule, "optax:polynomial_schedule");
KONFIG_COMPONENT(kd::ScheduleFn, kd::optim::ExponentialDecay, "optax:exponential_decay");
KONFIG_COMPONENT(kd::ScheduleFn, kd::optim::CosineDecay, "optax:cosine_decay_schedule");
KONFIG_COMPONENT(kd::ScheduleFn, kd::optim::WarmupConstant, "optax:warmup_constant_schedule");
KONFIG_COMPONENT(kd::ScheduleFn, kd::optim::WarmupCosineDecay,
                 "optax:warmup_cosine_decay_schedule");
KONFIG_COMPONENT(kd::ScheduleFn, kd::optim::WarmupExponentialDecay,
                 "optax:warmup_exponential_decay_schedule");
KONFIG_COMPONENT(kd::ScheduleFn, kd::optim::Sgdr, "optax:sgdr_schedule");
KONFIG_COMPONENT(kd::ScheduleFn, kd::optim::JoinSchedules, "optax:join_schedules");
