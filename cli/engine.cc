#include "cli/engine.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "cli/verb.h"
#include "cli/whole_number.h"
#include "konfig/error.h"
#include "konfig/offer_config.h"
#include "loader/engine.h"

namespace cli {

namespace {

// Global, so that a config file's own symbols are found in it. Never closed: what it registers is
// used until the end.
void* open_engine() {
  // Threads of libtorch that wait for work keep a core busy for milliseconds by default. On a
  // machine that has something else to do that made training six times slower.
  setenv("GOMP_SPINCOUNT", "2000", /*overwrite=*/0);
  return dlopen(KD_ENGINE_LIBRARY, RTLD_NOW | RTLD_GLOBAL);
}

[[noreturn]] void fail(const std::string& what) {
  throw konfig::Error(konfig::ErrorKind::unsupported, what + " cannot be loaded: " + dlerror());
}

// The examples with models of their own, which need the engine.
void open_model_examples() {
  if (!open_engine()) fail("the engine");
  if (!dlopen(KD_MODEL_EXAMPLES_LIBRARY, RTLD_NOW | RTLD_LOCAL)) fail("the example");
}

std::string wrong_device(const std::string& given) {
  try {
    kd::engine::check_device(given);
    return "";
  } catch (const konfig::Error& e) {
    return e.what();
  }
}

}  // namespace

void offer_engine() {
  loader::set_engine_loader([] {
    if (!open_engine()) fail("the engine");
  });
  for (const char* name : {KD_MODEL_EXAMPLES}) konfig::offer_config(name, open_model_examples);
}

const kd::engine::Api& load_engine() {
  void* library = open_engine();
  void* symbol = library ? dlsym(library, "kd_engine_api") : nullptr;
  if (!symbol) fail("the engine");
  return *reinterpret_cast<decltype(&kd_engine_api)>(symbol)();
}

// OpenMP keeps a place for each on the stack, and ends the program when it is full.
constexpr int kMostThreads = 1024;

void add_engine_flags(Options& add, kd::engine::Options& options) {
  add.value("--threads", options.threads, "N",
            "Threads that compute; by default all cores this process may use")
      ->check(whole_number(1, kMostThreads));
  add.value("--device", options.device, "DEVICE", "cpu; GPUs are not supported yet")
      ->capture_default_str()
      ->check(CLI::Validator(wrong_device, ""));
}

}  // namespace cli
