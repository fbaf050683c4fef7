// What happens to an experiment between its flags and its training.
#pragma once

#include <string>

#include "kd/problems/experiment.h"
#include "konfig/error.h"

namespace kd::problems {

// Levels of Python's logging, for `logging_level`: an experiment shows what is at least so urgent.
inline constexpr int kInfo = 20;     // its config and progress
inline constexpr int kWarning = 30;  // warnings only

// `ckpt_dir` of the trainer; "": its config has none, or it is empty.
std::string ckpt_dir_of(const ExperimentConfig& cfg);

// `batch_size` of a dataset; None: its config has none.
konfig::Value batch_size_of(const Any& dataset);

// An Error of the trainer that an experiment was lowered to, with the place that the experiment
// has for it: "train_ds.split" becomes "train_dataset.split".
konfig::Error in_experiment(const konfig::Error& error);
// Whether a place that in_experiment gave is a flag whose value is wrong: a dataset or a split that
// is not there.
bool is_wrong_flag(const konfig::Error& error);

// An Error names the first x_class that makes no object: the name is that of a config, or it is
// empty and has no default.
void check_classes(const ExperimentConfig& cfg);

// "train_dataset.split: there is no ...": an Error for the user of an experiment.
std::string text_of(const konfig::Error& error);
// "stopped after 3 steps; ...": what the user of an experiment that was stopped does next.
std::string stopped_text(std::int64_t steps, bool saved);

// Under a W&B agent (WANDB_SWEEP_ID, WANDB_RUN_ID) all runs of a sweep have the same flags: each
// gets the folder <ckpt_dir>/<run id>. Elsewhere the config is left as it is.
ExperimentConfig in_folder_of_run(ExperimentConfig cfg);

}  // namespace kd::problems
