// kd data element_spec: `kd data spec` as the reference spells it.
#include "cli/data_options.h"
#include "cli/terminal.h"

namespace cli {
namespace {

int element_spec(Session& session, const DataVerb& options) {
  const konfig::ConfigDict config = session.reference_config();
  const kd::engine::Api& api = load_engine();
  api.start(options.engine);
  print("Dataset: " + options.data.ds + "\nbatch:\n" + api.data_spec(config, options.data));
  return kFine;
}

const AddVerb<DataVerb> verb = {{
    .name = "data element_spec",
    .place = 15,
    .summary = "The same in the reference's spelling, of a config made short",
    .help = R"(
The config is made short as --patch.NAME=VALUE says (kd check --help), by default to
one example a batch. `kd data spec` shows the batches of the config as it is.

Examples:
  kd data element_spec --cfg=mnist_autoencoder
  kd data element_spec --cfg=my_config.py --ds_path=evals.eval.ds --patch.batch_size=8)",
    .explains_config = true,
    .options =
        [](Options& add, DataVerb& o) {
          o.data.ds = "train_ds";
          add.value("--ds_path", o.data.ds, "PATH", "The dataset in the config", config_paths)
              ->capture_default_str();
          add_engine_flags(add, o.engine);
        },
    .run = element_spec,
}};

}  // namespace
}  // namespace cli
