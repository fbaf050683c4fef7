// Descriptions of a trainer that need no step: what is connected with what, and its schedules.
// Library only.
#pragma once

#include <string>
#include <vector>

#include "kd/engine/options.h"
#include "kd/train/trainer.h"

namespace kd::engine {

// Model, losses, metrics and summaries with their inputs, and where these come from, for Graphviz:
// `kd inspect --show=graph | dot -Tsvg > graph.svg`.
std::string connection_graph(const train::Trainer& trainer);

// The values of all schedules at 1000 steps of the run, evenly from the first to the last.
std::vector<Series> schedule_series(const train::Trainer& trainer);

}  // namespace kd::engine
