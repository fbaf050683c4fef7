// kd ckpt show: what is in a checkpoint.
#include "cli/engine.h"
#include "cli/experiments.h"
#include "cli/terminal.h"
#include "cli/verb.h"

namespace cli {
namespace {

using kd::ckpts::ShowOptions;

int show(Session&, const ShowOptions& given) {
  ShowOptions options = given;
  options.source = kxm::find_run(given.source);
  print(load_engine().ckpt_show(options));
  return kFine;
}

const AddVerb<ShowOptions> verb = {{
    .name = "ckpt show",
    .place = 10,
    .summary = "Print what is in a checkpoint",
    .help = R"(
For a workdir also the list of its checkpoints, each read and checked.

Examples:
  kd ckpt show runs/a
  kd ckpt show 17/3
  kd ckpt show runs/a --step=500
  kd ckpt show runs/a/checkpoints/ckpt_500)",
    .options =
        [](Options& add, ShowOptions& o) {
          add.value(
                 "SOURCE", o.source, "SOURCE",
                 "A workdir, a checkpoint (also Kauldron's) or a .safetensors file; a unit: 17/3",
                 runs)
              ->required();
          add.value("--step", o.step, "N", "Of a workdir; by default the newest");
        },
    .run = show,
}};

}  // namespace
}  // namespace cli
