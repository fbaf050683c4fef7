// Patches: a config made short, to try it. As the reference's --patch.NAME=VALUE.
#pragma once

#include <optional>
#include <string_view>
#include <variant>

#include "flags/config_flag.h"
#include "konfig/config_dict.h"

namespace cli {

// A number of examples, or one for each device.
struct PatchedSize : std::variant<int, std::string> {
  static constexpr std::string_view konfig_name = "a whole number or \"devices\"";
  using variant::variant;
};

struct Patch {
  std::optional<int> stop_after_steps = 1;    // steps of training; None: all
  std::optional<PatchedSize> batch_size = 2;  // examples in a batch; None: as many as there were
  std::optional<int> num_batches = 1;         // of each evaluation; None: all
  bool skip_eval = false;                     // no evaluators
  bool eval_run_once = true;                  // each evaluator once, before the first step
  bool skip_checkpointer = true;              // nothing is saved
  bool skip_metrics = false;                  // no metrics of training
  bool skip_summaries = false;                // no summaries of training
  bool skip_flatboard = true;                 // accepted; there are no dashboards to make
  bool profile = false;                       // writes a trace, after 17 steps
  bool checkify = false;                      // accepted; a loss that is not finite stops a run
};

// What --patch.NAME=VALUE flags ask for. An unknown name is an Error with the nearest one.
Patch patch_of(flags::ConfigFlag flag, std::vector<std::string>& args);

// In place. What the config does not have is left out.
void apply(const Patch& patch, konfig::ConfigDict& cfg);

}  // namespace cli
