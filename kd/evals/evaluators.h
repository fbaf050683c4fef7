// Evaluators: what is measured on which data, and when. What they do, and one of your own, is in
// kd/evals/engine/evaluator.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kd/core/interfaces.h"
#include "kd/core/place.h"
#include "kd/train/where.h"
#include "konfig/config_dict.h"
#include "konfig/inherit.h"
#include "kxm/job_params.h"

namespace kd {
class MetricWriter;  // kd/writers
}

namespace kd::train {
class EvaluatorRun;  // kd/train/engine/evaluator.h
struct Measured;     // kd/train/engine/evaluator.h
struct Trainer;      // kd/train/trainer.h
}  // namespace kd::train

namespace kd::evals {

using train::EvaluatorRun;
using train::Where;

// In the training job, every n steps.
struct EveryNSteps {
  Required<int> n;          // steps between evaluations
  bool skip_first = false;  // not before the first step
  bool should_eval_in_train(std::int64_t step) const;
};

// In the training job, of a run that is counted in epochs: after each epoch.
struct EveryEpoch {
  bool before_training = true;  // before the first step, too
  int every_it = -1;            // and within an epoch, after so many steps each; -1: not
  bool should_eval_in_epoch(const Place& place) const;
};

// In the training job, once.
struct Once {
  Required<int> step;  // the step before which it runs
  bool should_eval_in_train(std::int64_t at) const;
};

// In the training job, once after the last step.
struct Final {
  bool free_memory = true;  // no effect: unused memory is freed at once
  Where where() const;
};

// In a job of its own, on every checkpoint. Evaluators of one group share the job.
struct StandaloneEveryCheckpoint {
  static constexpr auto& konfig_raw_fields = kxm::kRawJobFields;

  double seconds_to_sleep = 1;                // between two looks for a new checkpoint
  std::optional<std::string> job_group = {};  // jobs with the same group are one
  KXM_JOB_PARAMS(KXM_FIELD);                  // for the launcher
  Where where() const;
};

// In a job of its own, on the last checkpoint.
struct StandaloneLastCheckpoint {
  static constexpr auto& konfig_raw_fields = kxm::kRawJobFields;

  double seconds_to_sleep = 1;                // between two looks whether training is complete
  std::optional<std::string> job_group = {};  // jobs with the same group are one
  KXM_JOB_PARAMS(KXM_FIELD);                  // for the launcher
  Where where() const;
};

// Runs the model over a dataset. Losses, metrics and summaries are the trainer's unless given;
// an empty set means none.
struct Evaluator {
  std::string name = "eval";                                // the key in `evals`
  Poly<RunStrategy> run;                                    // when and where
  std::optional<int> num_batches = {};                      // None: the whole dataset
  bool cache = false;                                       // keeps these batches in memory
  konfig::Inherit<Poly<Pipeline>, "eval_ds"> ds = inherit;  // the data
  konfig::Inherit<Map<Poly<Loss>>, "train_losses"> losses = inherit;           // by name
  konfig::Inherit<Map<Poly<Metric>>, "train_metrics"> metrics = inherit;       // by name
  konfig::Inherit<Map<Poly<Summary>>, "train_summaries"> summaries = inherit;  // by name
  konfig::Inherit<Poly<Module>, "model"> model = inherit;                      // what is evaluated
  std::optional<std::string> model_method = {};  // only "__call__" is known
  Poly<InitTransform> init_transform;            // of the state, before each run
  bool discard_opt = false;                      // runs without the optimizer's state
  konfig::Inherit<Poly<MetricWriter>, "writer"> writer = inherit;  // where the values go
  std::unique_ptr<EvaluatorRun> open(const train::Trainer& trainer, const std::string& key) const;
  train::Measured measured() const;
};

}  // namespace kd::evals

KONFIG_COMPONENT(kd::RunStrategy, kd::evals::EveryNSteps, "kauldron.kd:evals.EveryNSteps");
KONFIG_COMPONENT(kd::RunStrategy, kd::evals::EveryEpoch, "kd.evals:EveryEpoch");
KONFIG_COMPONENT(kd::RunStrategy, kd::evals::Once, "kauldron.kd:evals.Once");
KONFIG_COMPONENT(kd::RunStrategy, kd::evals::Final, "kauldron.kd:evals.Final");
KONFIG_COMPONENT(kd::RunStrategy, kd::evals::StandaloneEveryCheckpoint,
                 "kauldron.kd:evals.StandaloneEveryCheckpoint");
KONFIG_COMPONENT(kd::RunStrategy, kd::evals::StandaloneLastCheckpoint,
                 "kauldron.kd:evals.StandaloneLastCheckpoint");
KONFIG_COMPONENT(kd::Evaluator, kd::evals::Evaluator, "kauldron.kd:evals.Evaluator");
