// What one step of training does: the usual one, several optimizers, none.
#pragma once

#include "kd/core/interfaces.h"

namespace kd {
class Tree;  // kd/core/tree.h
}

namespace kd::train {

struct Returns;     // kd/train/engine/auxiliaries.h
struct StepResult;  // kd/train/engine/train_step.h
class StepRun;      // kd/train/engine/train_step.h
struct TrainState;  // kd/train/engine/state.h

// Forward, losses, gradients of their sum, one optimizer.
struct TrainStep {
  Poly<Optimizer> optimizer = {};  // None: the trainer's
  StepResult step(StepRun& run, TrainState state, const Tree& batch, const Returns& returns) const;
};

// One optimizer for each loss: `optimizer` is an optim::MultiOptimizer with the losses' names. All
// start from the same parameters; their updates are added.
struct MultiTrainStep {
  Poly<Optimizer> optimizer = {};  // None: the trainer's
  StepResult step(StepRun& run, TrainState state, const Tree& batch, const Returns& returns) const;
};

// Reads the data and changes nothing.
struct NoopTrainStep {
  static constexpr bool needs_optimizer = false;
  StepResult step(StepRun& run, TrainState state, const Tree& batch, const Returns& returns) const;
};

// What happens when the loss is NaN or infinite.
enum class OnBadLoss {
  stop,    // an error, with the first bad value and the batch saved for replay
  skip,    // the step changes nothing but its number
  ignore,  // as if it were a number
};

}  // namespace kd::train

KONFIG_COMPONENT(kd::TrainStepFn, kd::train::TrainStep, "kauldron.kd:train.TrainStep");
KONFIG_COMPONENT(kd::TrainStepFn, kd::train::MultiTrainStep,
                 "kauldron.kd:contrib.train.MultiTrainStep",
                 "kauldron.contrib.train:MultiTrainStep");
KONFIG_COMPONENT(kd::TrainStepFn, kd::train::NoopTrainStep,
                 "kauldron.kd:contrib.train.NoopTrainStep", "kauldron.contrib.train:NoopTrainStep");
