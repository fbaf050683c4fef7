// Evaluates schedules, in float32 as inside of a training step.
//
//   double lr = cfg.schedules.at("learning_rate")(step);
//
// Your own schedule is a struct with fields and `double operator()(std::int64_t step) const`:
//
//   struct Halving {
//     double init_value = 0.1;
//     int period = 1000;
//     double operator()(std::int64_t step) const {
//       const std::int64_t halvings = step / period;
//       return init_value * std::pow(0.5, static_cast<double>(halvings));
//     }
//   };
//   KD_COMPONENT(kd::ScheduleFn, Halving);
//
// With `bool is_plain() const` it tells whether its values are plain numbers; see Number below.
#pragma once

#include <cstdint>

#include "kd/core/implement.h"
#include "kd/optim/schedules.h"

namespace kd {

namespace optim {
struct ScheduleOps {
  double (*value)(const void* self, std::int64_t step);
  bool (*is_plain)(const void* self);
};
}  // namespace optim

template <>
struct Implement<ScheduleFn> {
  using Ops = optim::ScheduleOps;
  template <class T>
  static double value(const void* self, std::int64_t step) {
    return static_cast<double>((*static_cast<const T*>(self))(step));
  }
  template <class T>
  static bool is_plain_number(const void* self) {
    if constexpr (requires(const T& t) { t.is_plain(); }) {
      return static_cast<const T*>(self)->is_plain();
    } else {
      return false;
    }
  }
  template <class T>
  static constexpr Ops ops = {&value<T>, &is_plain_number<T>};
};

// schedule(step)
double poly_call(const ScheduleFn*, const Poly<ScheduleFn>& schedule, std::int64_t step);

namespace optim {

// A number to calculate with. A plain one takes the dtype of the tensor it meets; one that was
// computed is float32, and makes float32 of half-precision tensors.
struct Number {
  double value = 0;
  bool plain = true;
  Number(double v, bool is_plain = true) : value(v), plain(is_plain) {}
};

bool is_schedule(const Schedule& schedule);  // not a number, and not None
bool is_none(const Schedule& schedule);
// The number, or the schedule's value at a step, rounded to float32.
Number value_at(const Schedule& schedule, std::int64_t step);

}  // namespace optim
}  // namespace kd
