// The engine, loaded when a config or a command needs it: most need only the config.
#pragma once

#include "cli/session.h"
#include "kd/engine/options.h"

namespace cli {

// Lets config files that define their own models load libtorch and the code built on it.
void offer_engine();

// Loads the engine; an Error says why it cannot be.
const kd::engine::Api& load_engine();
// What else it has, by name; an Error when it is missing.
void* engine_symbol(const char* name);

// `kd engine`: what computes.
int engine(const kd::engine::Options& options);

}  // namespace cli
