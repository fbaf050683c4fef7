// Random streams: which parts of a model get random numbers, and when.
#pragma once

#include <string>
#include <vector>

#include "kd/interfaces.h"
#include "konfig/inherit.h"

namespace kd::train {

// One named stream.
struct RngStream {
  Required<std::string> name;  // "dropout"
  bool init = true;            // available when parameters are made
  bool train = true;           // available in training
  bool eval = false;           // available in evaluation
};

// Streams on top of (or instead of) the default ones: params, dropout, default.
struct RngStreams {
  std::vector<RngStream> streams = {};
  konfig::Inherit<int, "seed"> seed = inherit;  // the trainer's by default
};

}  // namespace kd::train
