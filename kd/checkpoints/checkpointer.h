// Checkpoints: when the state of a run is saved and what is kept.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kd/interfaces.h"

namespace kd::ckpts {

// Saves at regular steps and keeps the newest ones.
struct Checkpointer {
  Required<int> save_interval_steps;                 // saves every so many steps
  std::optional<int> max_to_keep = 3;                // older ones are removed; None: all stay
  std::optional<int> keep_period = {};               // multiples of this step are never removed
  std::vector<int> save_on_steps = {};               // further steps to save at
  std::optional<std::string> best_metric_path = {};  // keeps the best by this metric
  std::string best_mode = "max";                     // "max" or "min" is best
};

}  // namespace kd::ckpts

KONFIG_COMPONENT(kd::Checkpoints, kd::ckpts::Checkpointer, "kauldron.kd:ckpts.Checkpointer");
