// Which step belongs to which epoch.
#include "kd/train/epochs.h"

#include <algorithm>

#include "konfig/error.h"

namespace kd::train {

using konfig::Error;
using konfig::ErrorKind;

EpochPlan::EpochPlan(const Epochs& epochs, std::optional<std::int64_t> steps_per_pass)
    : epochs_(*epochs.num_epochs),
      epoch_(epochs.steps_per_epoch.value_or(0)),
      pass_(steps_per_pass.value_or(0)) {
  if (epochs_ < 0 || epoch_ < 0) {
    const bool which = epochs_ < 0;
    throw Error(
        ErrorKind::value, which ? "epochs.num_epochs" : "epochs.steps_per_epoch",
        "expected a whole number of 0 or more, got " + std::to_string(which ? epochs_ : epoch_));
  }
  if (!epochs.steps_per_epoch) {
    if (pass_ == 0) {
      throw Error(ErrorKind::required, "epochs.steps_per_epoch",
                  "not set, and train_ds does not say where a pass over the data ends; give the "
                  "steps of an epoch");
    }
    epoch_ = pass_;
  }
  if (pass_ > 0 && epoch_ > 0) {
    epoch_ = std::min(epoch_, pass_);
    epochs_per_pass_ = (pass_ + epoch_ - 1) / epoch_;
  }
}

std::int64_t EpochPlan::num_steps() const {
  if (epoch_ == 0) return 0;
  if (pass_ == 0) return epochs_ * epoch_;
  return epochs_ / epochs_per_pass_ * pass_ + epochs_ % epochs_per_pass_ * epoch_;
}

Place EpochPlan::at(std::int64_t step) const {
  if (epoch_ == 0) return {.step = step, .epoch = epochs_, .it = 0};
  const std::int64_t passes = pass_ > 0 ? step / pass_ : 0;
  const std::int64_t in_pass = step - passes * pass_;
  return {
      .step = step, .epoch = passes * epochs_per_pass_ + in_pass / epoch_, .it = in_pass % epoch_};
}

}  // namespace kd::train
