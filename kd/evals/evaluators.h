// Evaluators: what is measured on which data, and when.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kd/interfaces.h"
#include "konfig/inherit.h"

namespace kd {
class MetricWriter;  // kd/writers
}

namespace kd::evals {

// In the training job, every n steps.
struct EveryNSteps {
  Required<int> n;          // steps between evaluations
  bool skip_first = false;  // not before the first step
};

// In the training job, once.
struct Once {
  Required<int> step;  // the step before which it runs
};

// In the training job, once after the last step.
struct Final {
  bool free_memory = true;  // accepted, not used
};

// In a job of its own, on every checkpoint. Evaluators of one group share the job.
struct StandaloneEveryCheckpoint {
  static constexpr std::string_view konfig_raw_fields[] = {"interpreter_info", "debug"};

  double seconds_to_sleep = 1;                // between two looks for a new checkpoint
  std::optional<std::string> job_group = {};  // jobs with the same group are one
  // What a job of the launcher has; kept as it is, for the launcher.
  std::optional<std::string> platform = {};  // where the job runs
  konfig::ConfigDict requirements = {};      // replicas, memory, disk
  konfig::ConfigDict executor = {};          // options of what runs it
  konfig::Value target = {};                 // what is built
  konfig::Value priority = {};               // over other jobs
  konfig::Value cell = {};                   // which part of the machines
  konfig::Value constraints = {};            // of the scheduler
  konfig::Value args = {};                   // flags
  konfig::Value env_vars = {};               // environment
  konfig::Value files = {};                  // put beside the program
  konfig::Value use_interpreter = {};        // runs a script instead of a program
  konfig::Value interpreter_info = {};       // which script, by what
  konfig::Value bazel_args = {};             // how it is built
  konfig::Value add_jax_flags = {};          // flags of JAX, too
  konfig::Value citc_source = {};            // where the code is
  konfig::Value debug = {};                  // what helps to find mistakes
};

// In a job of its own, on the last checkpoint.
struct StandaloneLastCheckpoint {
  static constexpr std::string_view konfig_raw_fields[] = {"interpreter_info", "debug"};

  double seconds_to_sleep = 1;                // between two looks whether training is complete
  std::optional<std::string> job_group = {};  // jobs with the same group are one
  // What a job of the launcher has; kept as it is, for the launcher.
  std::optional<std::string> platform = {};  // where the job runs
  konfig::ConfigDict requirements = {};      // replicas, memory, disk
  konfig::ConfigDict executor = {};          // options of what runs it
  konfig::Value target = {};                 // what is built
  konfig::Value priority = {};               // over other jobs
  konfig::Value cell = {};                   // which part of the machines
  konfig::Value constraints = {};            // of the scheduler
  konfig::Value args = {};                   // flags
  konfig::Value env_vars = {};               // environment
  konfig::Value files = {};                  // put beside the program
  konfig::Value use_interpreter = {};        // runs a script instead of a program
  konfig::Value interpreter_info = {};       // which script, by what
  konfig::Value bazel_args = {};             // how it is built
  konfig::Value add_jax_flags = {};          // flags of JAX, too
  konfig::Value citc_source = {};            // where the code is
  konfig::Value debug = {};                  // what helps to find mistakes
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
};

}  // namespace kd::evals

KONFIG_COMPONENT(kd::RunStrategy, kd::evals::EveryNSteps, "kauldron.kd:evals.EveryNSteps");
KONFIG_COMPONENT(kd::RunStrategy, kd::evals::Once, "kauldron.kd:evals.Once");
KONFIG_COMPONENT(kd::RunStrategy, kd::evals::Final, "kauldron.kd:evals.Final");
KONFIG_COMPONENT(kd::RunStrategy, kd::evals::StandaloneEveryCheckpoint,
                 "kauldron.kd:evals.StandaloneEveryCheckpoint");
KONFIG_COMPONENT(kd::RunStrategy, kd::evals::StandaloneLastCheckpoint,
                 "kauldron.kd:evals.StandaloneLastCheckpoint");
KONFIG_COMPONENT(kd::Evaluator, kd::evals::Evaluator, "kauldron.kd:evals.Evaluator");
