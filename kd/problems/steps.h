// The steps of experiments: the usual one, with what their problems log; and a problem of your own.
#pragma once

#include <string>

#include "kd/core/interfaces.h"
#include "konfig/config_dict.h"

namespace kd {
class Tree;  // kd/core/tree.h
}
namespace kd::train {
struct Returns;     // kd/train/engine/auxiliaries.h
struct StepResult;  // kd/train/engine/train_step.h
class StepRun;      // kd/train/engine/train_step.h
struct TrainState;  // kd/train/engine/state.h
}  // namespace kd::train

namespace kd::problems {

// Logs ce_loss, reg_loss, loss and acc as means since the start of the epoch.
struct ClassificationStep {
  train::TrainState init(train::StepRun& run, train::TrainState state) const;
  train::StepResult step(train::StepRun& run, train::TrainState state, const Tree& batch,
                         const train::Returns& returns) const;
};

// Logs l2_loss, reg_loss and loss of the batch, lr and steps. The mean of the loss is shown.
struct DistillationStep {
  train::TrainState init(train::StepRun& run, train::TrainState state) const;
  train::StepResult step(train::StepRun& run, train::TrainState state, const Tree& batch,
                         const train::Returns& returns) const;
};

// A problem that computes: kd/problems/engine/problem.h.
struct ProblemStep {
  static constexpr bool needs_optimizer = false;

  Required<std::string> problem_class;  // its registered name
  konfig::ConfigDict problem = {};      // the fields of its config
  konfig::ConfigDict timekeeping = {};  // the fields of the experiment's Timekeeping
  train::TrainState init(train::StepRun& run, train::TrainState state) const;
  train::StepResult step(train::StepRun& run, train::TrainState state, const Tree& batch,
                         const train::Returns& returns) const;
};

}  // namespace kd::problems

KONFIG_COMPONENT(kd::TrainStepFn, kd::problems::ClassificationStep);
KONFIG_COMPONENT(kd::TrainStepFn, kd::problems::DistillationStep);
KONFIG_COMPONENT(kd::TrainStepFn, kd::problems::ProblemStep);
