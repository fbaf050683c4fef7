// Schedules: how a number or a schedule is read.
#include "kd/optim/schedule.h"

#include "konfig/error.h"

namespace kd {

double poly_call(const ScheduleFn*, const Poly<ScheduleFn>& schedule, std::int64_t step) {
  return ops_of(schedule).value(schedule.object().get(), step);
}

namespace optim {

bool is_schedule(const Schedule& schedule) {
  auto* function = std::get_if<Poly<ScheduleFn>>(&schedule);
  return function && *function;
}

bool is_none(const Schedule& schedule) {
  auto* function = std::get_if<Poly<ScheduleFn>>(&schedule);
  return function && !*function;
}

Number value_at(const Schedule& schedule, std::int64_t step) {
  if (auto* number = std::get_if<double>(&schedule)) return *number;
  auto& function = std::get<Poly<ScheduleFn>>(schedule);
  auto& ops = ops_of(function);
  const void* self = function.object().get();
  return {static_cast<float>(ops.value(self, step)), ops.is_plain(self)};
}

}  // namespace optim
}  // namespace kd
