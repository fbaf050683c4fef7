// Evaluators: what is measured on which data, and when.
#pragma once

#include <optional>
#include <string>

#include "kd/interfaces.h"
#include "konfig/inherit.h"

namespace kd::evals {

// In the training job, every n steps.
struct EveryNSteps {
  Required<int> n;  // steps between evaluations
};

// In the training job, once.
struct Once {
  Required<int> step;  // the step before which it runs
};

// In a job of its own, on every checkpoint. Evaluators of one group share the job.
struct StandaloneEveryCheckpoint {
  std::optional<std::string> job_group = {};  // jobs with the same group are one
  std::optional<std::string> platform = {};   // where the job runs
  konfig::ConfigDict requirements = {};       // for the launcher
  konfig::ConfigDict executor = {};           // for the launcher
};

// In a job of its own, on the last checkpoint.
struct StandaloneLastCheckpoint {
  std::optional<std::string> job_group = {};  // jobs with the same group are one
  std::optional<std::string> platform = {};   // where the job runs
  konfig::ConfigDict requirements = {};       // for the launcher
  konfig::ConfigDict executor = {};           // for the launcher
};

// Runs the model over a dataset. Losses, metrics and summaries are the trainer's unless given;
// an empty set means none.
struct Evaluator {
  Poly<RunStrategy> run;                                                  // when and where
  Required<std::optional<int>> num_batches;                               // None: the whole dataset
  konfig::Inherit<Poly<Pipeline>, "eval_ds"> ds = inherit;                // the data
  konfig::Inherit<Map<Poly<Loss>>, "train_losses"> losses = inherit;      // by name
  konfig::Inherit<Map<Poly<Metric>>, "train_metrics"> metrics = inherit;  // by name
  konfig::Inherit<Map<Poly<Summary>>, "train_summaries"> summaries = inherit;  // by name
};

}  // namespace kd::evals

KONFIG_COMPONENT(kd::RunStrategy, kd::evals::EveryNSteps, "kauldron.kd:evals.EveryNSteps");
KONFIG_COMPONENT(kd::RunStrategy, kd::evals::Once, "kauldron.kd:evals.Once");
KONFIG_COMPONENT(kd::RunStrategy, kd::evals::StandaloneEveryCheckpoint,
                 "kauldron.kd:evals.StandaloneEveryCheckpoint");
KONFIG_COMPONENT(kd::RunStrategy, kd::evals::StandaloneLastCheckpoint,
                 "kauldron.kd:evals.StandaloneLastCheckpoint");
KONFIG_COMPONENT(kd::Evaluator, kd::evals::Evaluator, "kauldron.kd:evals.Evaluator");
