// kd data stats: ranges, means and histograms of the data.
#include "cli/data_options.h"
#include "cli/terminal.h"

namespace cli {
namespace {

int stats(Session& session, const DataVerb& options) {
  const auto& config = session.config();
  const kd::engine::Api& api = load_engine();
  api.start(options.engine);
  print(api.data_stats(config, options.data));
  return kFine;
}

const AddVerb<DataVerb> verb = {{
    .name = "data stats",
    .place = 20,
    .summary = "Print ranges, means and histograms",
    .help = R"(
For each element: type, range, mean, standard deviation and a histogram. Reads
the whole dataset, or the first 256 batches of one without end.

Examples:
  kd data stats --cfg=mnist_autoencoder --cfg.train_ds.num_epochs=1
  kd data stats --cfg=mnist_autoencoder --batches=10)",
    .explains_config = true,
    .options =
        [](Options& add, DataVerb& o) {
          add_data_flags(add, o);
          add_batches(add, o, "How many are read at most");
        },
    .run = stats,
}};

}  // namespace
}  // namespace cli
