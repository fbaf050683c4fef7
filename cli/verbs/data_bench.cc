// kd data bench: batches a second, and where the time goes.
#include "cli/data_options.h"
#include "cli/terminal.h"

namespace cli {
namespace {

int bench(Session& session, const DataVerb& options) {
  const auto& config = session.config();
  const kd::engine::Api& api = load_engine();
  api.start(options.engine);
  print(api.data_bench(config, options.data));
  return kFine;
}

const AddVerb<DataVerb> verb = {{
    .name = "data bench",
    .place = 40,
    .summary = "Measure batches a second, and where the time goes",
    .help = R"(
How many batches a second the dataset gives when nothing else runs, and how
much of the time, on all threads, each step takes.

Examples:
  kd data bench --cfg=mnist_autoencoder
  kd data bench --cfg=mnist_autoencoder --cfg.train_ds.num_workers=1 --seconds=10)",
    .explains_config = true,
    .options =
        [](Options& add, DataVerb& o) {
          add_data_flags(add, o);
          add_batches(add, o, "How many are read, instead of a time");
          add.value("--seconds", o.data.seconds, "S", "How long it measures")
              ->capture_default_str()
              ->check(CLI::PositiveNumber);
        },
    .run = bench,
}};

}  // namespace
}  // namespace cli
