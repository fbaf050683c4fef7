// What happens to an experiment between its flags and its training.
#pragma once

#include <string>

#include "kd/problems/experiment.h"

namespace kd::problems {

// Levels of Python's logging, for `logging_level`: an experiment shows what is at least so urgent.
inline constexpr int kInfo = 20;     // its config and progress
inline constexpr int kWarning = 30;  // warnings only

// `ckpt_dir` of the trainer; "": its config has none, or it is empty.
std::string ckpt_dir_of(const ExperimentConfig& cfg);

// Under a W&B agent (WANDB_SWEEP_ID, WANDB_RUN_ID) all runs of a sweep have the same flags: each
// gets the folder <ckpt_dir>/<run id>. Elsewhere the config is left as it is.
ExperimentConfig in_folder_of_run(ExperimentConfig cfg);

}  // namespace kd::problems
