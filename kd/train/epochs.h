// Runs that are counted in epochs.
//
//   cfg.epochs = train::Epochs{.num_epochs = 3, .steps_per_epoch = 4};
//
// Such a run makes exactly as many updates as its epochs have. Evaluations and checkpoints are due
// before each of them, as in any run, and once more after the last one.
#pragma once

#include <cstdint>
#include <optional>

#include "kd/core/interfaces.h"
#include "kd/core/place.h"

namespace kd::train {

// The length of a run in epochs.
struct Epochs {
  Required<int> num_epochs;                 // how many
  std::optional<int> steps_per_epoch = {};  // None: an epoch ends with the data
};

// Which step belongs to which epoch. The data goes on over epochs: an epoch ends after
// `steps_per_epoch` steps, or earlier where a pass over the data does.
class EpochPlan {
 public:
  // `steps_per_pass`: batches of one pass over the data; none: it does not end. An Error when
  // neither ends an epoch.
  EpochPlan(const Epochs& epochs, std::optional<std::int64_t> steps_per_pass);

  std::int64_t num_steps() const;
  Place at(std::int64_t step) const;

 private:
  std::int64_t epochs_, epoch_;  // epoch_: steps of those that end before the data does
  std::int64_t pass_;            // steps of a pass; 0: there are no passes
  std::int64_t epochs_per_pass_ = 1;
};

}  // namespace kd::train

KONFIG_TYPE(kd::train::Epochs, "kd.train:Epochs");
