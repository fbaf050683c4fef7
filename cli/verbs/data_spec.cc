// kd data spec: names, types and shapes of a batch.
#include "cli/data_options.h"
#include "cli/terminal.h"

namespace cli {
namespace {

int spec(Session& session, const DataVerb& options) {
  const auto& config = session.config();
  const kd::engine::Api& api = load_engine();
  api.start(options.engine);
  print(api.data_spec(config, options.data));
  return kFine;
}

const AddVerb<DataVerb> verb = {{
    .name = "data spec",
    .place = 10,
    .summary = "Print names, types and shapes of a batch",
    .help = R"(
Reads as little as the pipeline allows: usually one record.

Examples:
  kd data spec --cfg=mnist_autoencoder
  kd data spec --cfg=my_config.cc --ds=evals.eval.ds)",
    .explains_config = true,
    .options = add_data_flags,
    .run = spec,
}};

}  // namespace
}  // namespace cli
