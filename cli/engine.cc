#include "cli/engine.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "cli/errors.h"
#include "cli/program.h"
#include "cli/terminal.h"
#include "konfig/error.h"
#include "loader/engine.h"

namespace cli {

namespace {

// Global, so that a config file's own symbols are found in it. Never closed: what it registers is
// used until the end.
void* open_engine() {
  // Threads of libtorch that wait for work keep a core busy for milliseconds by default. On a
  // machine that has something else to do that made training six times slower.
  setenv("GOMP_SPINCOUNT", "3000", /*overwrite=*/0);
  return dlopen(KD_ENGINE_LIBRARY, RTLD_NOW | RTLD_GLOBAL);
}

}  // namespace

void offer_engine() {
  loader::set_engine_loader([] { return open_engine() != nullptr; });
}

void* engine_symbol(const char* name) {
  void* library = open_engine();
  void* symbol = library ? dlsym(library, name) : nullptr;
  if (!symbol) {
    throw konfig::Error(konfig::ErrorKind::unsupported,
                        std::string("the engine cannot be loaded: ") + dlerror());
  }
  return symbol;
}

const kd::engine::Api& load_engine() {
  return *reinterpret_cast<decltype(&kd_engine_api)>(engine_symbol("kd_engine_api"))();
}

int engine(const kd::engine::Options& options) {
  print(load_engine().start(options) + "\n");
  return kFine;
}

}  // namespace cli
