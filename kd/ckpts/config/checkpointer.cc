// Checks of the checkpointer's fields; durations.
#include "kd/ckpts/checkpointer.h"
#include "konfig/register.h"

namespace kd::ckpts {

namespace {

void expect_positive(const std::string& field, const std::optional<int>& value) {
  if (!value || *value > 0) return;
  throw konfig::Error(konfig::ErrorKind::value, field,
                      "expected a whole number above 0, got " + std::to_string(*value));
}

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
}

}  // namespace kd::ckpts

KONFIG_FUNCTION("datetime:timedelta", kd::ckpts::seconds_of);
