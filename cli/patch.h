// Patches: a config made short, to try it. As the reference's --patch.NAME=VALUE.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "flags/config_flag.h"
#include "konfig/config_dict.h"

namespace cli {

// A number of examples, or one for each device.
struct PatchedSize : std::variant<int, std::string> {
  static constexpr std::string_view konfig_name = "a whole number or \"devices\"";
  using variant::variant;
};

struct Patch {
  std::optional<int> stop_after_steps = 1;            // steps of training; None: all
  std::optional<PatchedSize> batch_size = "devices";  // examples in a batch; None: as it is
  std::optional<int> num_batches = 1;                 // of each evaluation; None or 0: all
  bool skip_eval = false;                             // no evaluators
  bool eval_run_once = true;                          // each evaluator once, before the first step
  bool skip_checkpointer = true;                      // nothing is saved
  bool skip_metrics = false;                          // no metrics of training
  bool skip_summaries = false;                        // no summaries of training
  bool skip_flatboard = true;                         // False is refused: no Flatboard to set up
  bool profile = false;                               // writes a trace, after 17 steps
  bool checkify = false;                              // stops at NaN, infinity, a bad index
};

// The patch of `kd check`: a batch of three, since an axis of one or two may hide a mistake, and
// the checkpointer is tried, too.
Patch check_patch();

// `patch` as --patch.NAME=VALUE flags change it; --patch.noNAME switches NAME off. An unknown name
// is an Error with the nearest one.
Patch patch_of(Patch patch, flags::ConfigFlag flag, std::vector<std::string>& args);

// Changes the config, in which `overrides` are applied already, and gives {path: value} of what was
// changed. A path that the user overrides keeps the user's value, and so does a part of the config
// with such a path in it.
konfig::Dict apply(const Patch& patch, konfig::ConfigDict& cfg, const flags::ConfigFlag& overrides);

}  // namespace cli
