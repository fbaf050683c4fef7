// How long an experiment runs.
#include "kd/problems/experiment.h"
#include "konfig/error.h"

namespace kd::problems {

namespace {

std::int64_t samples_of(const Timekeeping& time, const char* what) {
  if (time.nb_samples_per_epoch < 0) {
    throw konfig::Error(konfig::ErrorKind::value,
                        std::string("timekeeping.nb_samples_per_epoch is not set, but ") + what +
                            " needs it; give the samples of an epoch, such as "
                            "--timekeeping.nb_samples_per_epoch=60000");
  }
  if (*time.batch_size < 1) {
    throw konfig::Error(konfig::ErrorKind::value,
                        "timekeeping.batch_size: expected a whole number above 0, got " +
                            std::to_string(*time.batch_size));
  }
  return time.nb_samples_per_epoch;
}

}  // namespace

std::int64_t Timekeeping::nb_steps_per_epoch() const {
  return samples_of(*this, "nb_steps_per_epoch") / *batch_size;
}

std::int64_t Timekeeping::nb_steps() const {
  return samples_of(*this, "nb_steps") / *batch_size * *nb_epochs;
}

}  // namespace kd::problems
