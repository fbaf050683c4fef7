// Checks of the checkpointer's fields; durations.
#include "kd/ckpts/checkpointer.h"
#include "kd/ckpts/expect_positive_impl.h"
#include "konfig/register.h"

namespace kd::ckpts {

namespace {

// Python's timedelta, which configs give keep_time_interval as.
struct Duration {
  double days = 0, seconds = 0, microseconds = 0, milliseconds = 0, minutes = 0, hours = 0,
         weeks = 0;
};

double seconds_of(const Duration& d) {
  return d.seconds + d.microseconds * 1e-6 + d.milliseconds * 1e-3 + d.minutes * 60 +
         d.hours * 3600 + d.days * 86400 + d.weeks * 604800;
}

}  // namespace

void Checkpointer::konfig_post_resolve(const konfig::ConfigDict&) const {
  expect_positive("save_interval_steps", *save_interval_steps);
  expect_positive("keep_period", keep_period);
  expect_positive("max_to_keep", max_to_keep);
  if (keep_time_interval && !(*keep_time_interval > 0)) {
    throw konfig::Error(
        konfig::ErrorKind::value, "keep_time_interval",
        "expected seconds above 0, got " + konfig::Value(*keep_time_interval).repr());
  }
  for (std::size_t i = 0; i < save_on_steps.size(); ++i) {
    if (save_on_steps[i] >= 0) continue;
    throw konfig::Error(
        konfig::ErrorKind::value, "save_on_steps[" + std::to_string(i) + "]",
        "expected a whole number of 0 or more, got " + std::to_string(save_on_steps[i]));
  }
}

}  // namespace kd::ckpts

KONFIG_FUNCTION("datetime:timedelta", kd::ckpts::seconds_of);
