// Trainer: the root of an experiment.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kd/ckpts/checkpointer.h"
#include "kd/data/pipelines/pipelines.h"
#include "kd/exports/exporter.h"
#include "kd/inspect/profiler.h"
#include "kd/losses/losses.h"
#include "kd/sharding/sharding.h"
#include "kd/train/epochs.h"
#include "kd/train/rng_streams.h"
#include "kd/train/train_steps.h"
#include "kd/writers/metric_writer.h"
#include "konfig/config.h"

namespace kd {
using konfig::Config;
using konfig::keep;
}  // namespace kd

namespace kd::train {

// Labels of a run: a list, or one text with commas between them.
struct Tags : std::variant<std::vector<std::string>, std::string> {
  static constexpr std::string_view konfig_name = "a list of texts, or texts with commas";
  using variant::variant;
  std::vector<std::string> list() const;
};

// The progress bar of a run.
struct TqdmInfo {
  std::string desc = "train";  // stands before it
  bool log_xm = true;          // no effect: there is no XManager
};

// What happens around a run.
struct Setup {
  Tags tags = {};                  // labels that `kd launch` gives the experiment
  std::string note_template = "";  // its note, with values of the config: "seed {seed}"
  TqdmInfo tqdm_info = {};         // the progress bar
  bool eval_only = false;          // no training, only evaluation
  // Jobs of evaluators keep a copy of the checkpoint at hand: one that was stopped goes on with it.
  bool preemptable_eval = false;
};

// Everything a run needs. Resolved trainers are immutable.
struct Trainer {
  static constexpr bool konfig_is_root = true;
  static constexpr std::string_view konfig_raw_fields[] = {"xm_job"};

  int seed = 0;                                  // every random number follows from it
  std::optional<std::string> workdir = {};       // where the run writes its files
  Poly<Pipeline> train_ds;                       // the training data
  Poly<Pipeline> eval_ds;                        // the evaluators' data, unless they have their own
  Poly<Module> model;                            // what is trained
  RngStreams rng_streams = {};                   // random streams of the model
  sharding::ShardingStrategy sharding = {};      // over devices; one device keeps everything whole
  std::optional<int> num_train_steps = {};       // length of the run; schedules follow it
  std::optional<Epochs> epochs = {};             // the length in place of num_train_steps
  std::optional<int> stop_after_steps = {};      // stops early; schedules do not follow it
  int log_metrics_every = 100;                   // steps between metrics
  int log_summaries_every = 1000;                // steps between summaries
  Map<Poly<Loss>> train_losses = {};             // minimised: their sum
  Map<Poly<Metric>> train_metrics = {};          // measured while training
  Map<Poly<Summary>> train_summaries = {};       // shown while training
  Map<Poly<ScheduleFn>> schedules = {};          // logged, and referred to by optimizers
  Poly<MetricWriter> writer = KDMetricWriter{};  // None: nothing is written
  Poly<ProfilerFn> profiler;                     // None: no traces
  konfig::Value checkify_error_categories = {};  // looks for bad values in each step
  OnBadLoss on_bad_loss = OnBadLoss::stop;       // when the loss is NaN or infinite
  Poly<Optimizer> optimizer;                     // how gradients become updates
  Poly<Checkpoints> checkpointer;                // None: nothing is saved
  Poly<InitTransform> init_transform;            // None: parameters start as the model makes them
  Poly<ExporterFn> exporter;                     // None: the model is not exported
  Poly<TrainStepFn> trainstep;                   // None: the usual step
  Map<Poly<Evaluator>> evals = {};               // evaluations by name
  konfig::ConfigDict aux = {};                   // free values to refer to
  Setup setup = {};                              // what happens around the run
  konfig::ConfigDict xm_job = {};                // for the launcher; never resolved

  void konfig_post_resolve(const konfig::ConfigDict& node) const;
};

}  // namespace kd::train

KONFIG_TYPE(kd::train::TqdmInfo, "kauldron.kd:train.TqdmInfo");
KONFIG_TYPE(kd::train::Setup, "kauldron.kd:train.Setup");
KONFIG_TYPE(kd::train::Trainer, "kauldron.kd:train.Trainer", "kauldron.kd:train.Trainer.eval_only");
