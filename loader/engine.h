// The engine of config files that define their own models: loaded when such a file asks for it.
#pragma once

namespace loader {

// Loads what config files may need beyond the config libraries (libtorch and the code built on it)
// into the global scope of this program; an Error says why that is not possible.
using EngineLoader = void (*)();

// Called until it succeeds, when a file.cc needs a symbol that this program does not have yet
// (loader/needs_engine_impl.h).
void set_engine_loader(EngineLoader load_engine);

}  // namespace loader
