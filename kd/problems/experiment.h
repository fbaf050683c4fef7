// ExperimentConfig: an experiment of registered classes, as tfimm.train has it. The shipped classes
// are in the headers beside this one. Each is a config struct and a class that turns it into
// components of kd; kd/problems/classes.h has their kinds.
#pragma once

#include <cstdint>
#include <string>

#include "konfig/component.h"
#include "konfig/config_dict.h"
#include "tfimm/train/any.h"

namespace kd::problems {

using tfimm::train::Any;
using tfimm::train::Required;

// Everything that makes up an experiment.
struct ExperimentConfig {
  Any trainer;                                // how the training runs
  Required<std::string> trainer_class;        // SingleGPUTrainer
  Any timekeeping;                            // how long it runs
  Required<std::string> timekeeping_class;    // Timekeeping
  Any problem;                                // what is trained, and how
  Required<std::string> problem_class;        // ClassificationProblem, DistillationProblem
  Any train_dataset;                          // the training data
  Required<std::string> train_dataset_class;  // TFDSWrapper
  Any val_dataset = nullptr;                  // the validation data
  std::string val_dataset_class = "";         // empty: no validation
  int logging_level = 30;                     // as in Python: 20 shows progress, 30 warnings only
  bool log_wandb = false;                     // writes a run for Weights & Biases
  std::string experiment_name = "default";    // name of that run
  std::string project_name = "default";       // its project
  std::string entity = "default";             // its team or user
  std::string cfg_file = "";                  // YAML that overrides what the code says
};

// How long an experiment runs. Schedules count whole batches: nb_samples_per_epoch / batch_size,
// rounded down. The loop goes on until all samples were seen, so it rounds up.
struct Timekeeping {
  static constexpr std::string_view cfg_role = "timekeeping";
  Required<int> nb_epochs;                 // passes, or rounds of nb_samples_per_epoch
  Required<int> batch_size;                // samples that a step counts for
  std::int64_t nb_samples_per_epoch = -1;  // -1: an epoch ends with the data

  // For schedules. An Error when nb_samples_per_epoch is not set.
  std::int64_t nb_steps_per_epoch() const;
  std::int64_t nb_steps() const;
};

// The kd.train.Trainer that trains the experiment: what `kd run` trains, and `kd run --print=kd`
// shows. Needs no libtorch. An Error names the field that cannot be.
konfig::ConfigDict lower(const ExperimentConfig& cfg);
// The experiment that a config was lowered from. An Error when it is another config, or was changed
// since in a way that an experiment cannot say; it names the first place that differs.
ExperimentConfig experiment_of(const konfig::ConfigDict& config);

}  // namespace kd::problems

KONFIG_TYPE(kd::problems::ExperimentConfig, "tfimm.train:ExperimentConfig");
KONFIG_TYPE(kd::problems::Timekeeping, "tfimm.train:Timekeeping");
