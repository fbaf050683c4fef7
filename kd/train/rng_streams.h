// Random streams: which parts of a model get random numbers, and when.
//
//   train::RngStreams streams{.stream_overwrites = {{.name = "mask", .eval = true}}, .seed = 42};
//   Tree variables = model.init({.rngs = train::init_rngs(streams), ...}, x);
//   auto [out, ...] = model.apply(variables, {.rngs = train::train_rngs(streams, step), ...}, x);
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kd/core/interfaces.h"
#include "kd/random/key.h"
#include "konfig/inherit.h"

namespace kd::train {

// One named stream.
struct RngStream {
  Required<std::string> name;  // "dropout"
  bool init = true;            // available when parameters are made
  bool train = true;           // available in training
  bool eval = false;           // available in evaluation
  bool per_step = true;        // other numbers at each step
};

// The streams of a model. There are always three: `params`, only when parameters are made;
// `dropout` and `default`, when they are made and in training.
struct RngStreams {
  std::vector<RngStream> stream_overwrites = {};  // more streams, or others of the same names
  konfig::Inherit<int, "seed"> seed = inherit;    // the trainer's by default
};

// Keys by name of stream.
using Rngs = std::map<std::string, random::Key>;

Rngs init_rngs(const RngStreams& streams);                      // to make parameters
Rngs train_rngs(const RngStreams& streams, std::int64_t step);  // for a step of training
Rngs eval_rngs(const RngStreams& streams, std::int64_t step);   // for a batch of an evaluation

// The key from which the others are derived.
random::Key root_rng(const RngStreams& streams);
// All streams: the three, with those of `stream_overwrites` put in their place or added.
std::vector<RngStream> all_streams(const RngStreams& streams);

}  // namespace kd::train

KONFIG_TYPE(kd::train::RngStream, "kauldron.kd:train.RngStream");
KONFIG_TYPE(kd::train::RngStreams, "kauldron.kd:train.RngStreams");
