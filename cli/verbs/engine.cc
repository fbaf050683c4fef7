// kd engine: what computes.
#include "cli/engine.h"
#include "cli/terminal.h"
#include "cli/verb.h"

namespace cli {
namespace {

int engine(Session&, const kd::engine::Options& options) {
  print(load_engine().start(options) + "\n");
  return kFine;
}

const AddVerb<kd::engine::Options> verb = {{
    .name = "engine",
    .place = 110,
    .summary = "Show what computes: library, device, threads",
    .help = R"(
Loads the engine and prints, for example: libtorch 2.15.0 (AVX2), device cpu, 2 threads

Examples:
  kd engine
  kd engine --threads=1)",
    .options = add_engine_flags,
    .run = engine,
}};

}  // namespace
}  // namespace cli
