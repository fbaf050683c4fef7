// The engine, loaded when a config or a verb needs it: most need only the config.
#pragma once

#include "kd/engine/api.h"

namespace cli {

class Options;

// Lets config files that define their own models load libtorch and the code built on it.
void offer_engine();

// Loads the engine; an Error says why it cannot be.
const kd::engine::Api& load_engine();

// The flags of every verb that computes.
void add_engine_flags(Options& add, kd::engine::Options& options);

}  // namespace cli
