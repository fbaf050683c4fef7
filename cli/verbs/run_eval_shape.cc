// kd run eval_shape: the shapes of everything in a step, as the reference spells it.
#include "cli/engine.h"
#include "cli/terminal.h"
#include "cli/verb.h"

namespace cli {
namespace {

struct ShapeOptions {
  kd::engine::Options engine = {};
};

int eval_shape(Session& session, const ShapeOptions& options) {
  const konfig::ConfigDict config = session.reference_config();
  const kd::engine::Api& api = load_engine();
  remark(api.start(options.engine));
  print(api.eval_shape({.config = config, .stop_signal = nullptr}).text);
  return kFine;
}

const AddVerb<ShapeOptions> verb = {{
    .name = "run eval_shape",
    .place = 10,
    .summary = "Print the shapes of batch, state and step of a config",
    .help = R"(
Builds the config of --cfg=CONFIG, made short as --patch.NAME=VALUE says
(kd check --help), and trains nothing. The shapes are those of one forward pass on a
batch of zeros, which is computed: JAX only traces it. --patch.batch_size=1 makes it small.

Examples:
  kd run eval_shape --cfg=mnist_autoencoder
  kd run eval_shape --cfg=my_config.cc --patch.batch_size=8)",
    .explains_config = true,
    .options = [](Options& add, ShapeOptions& o) { add_engine_flags(add, o.engine); },
    .run = eval_shape,
}};

}  // namespace
}  // namespace cli
