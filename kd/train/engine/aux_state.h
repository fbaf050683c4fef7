// AuxState: what the losses, metrics and summaries of a step measured. What is made of it is in
// kd/train/engine/auxiliaries.h.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kd/metrics/engine/state.h"

namespace kd::train {

using NamedStates = std::vector<std::pair<std::string, metrics::State>>;

// States by name; a group that was not asked for is none.
struct AuxState {
  std::optional<NamedStates> loss_states, metric_states, summary_states;
  // Numbers of a step of one's own, logged as they are: {"lr", 0.1}.
  std::vector<std::pair<std::string, double>> scalars = {};
};

}  // namespace kd::train
