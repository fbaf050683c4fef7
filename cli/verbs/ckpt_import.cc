// kd ckpt import: a checkpoint from another program's file.
#include "cli/engine.h"
#include "cli/experiments.h"
#include "cli/terminal.h"
#include "cli/verb.h"

namespace cli {
namespace {

using kd::ckpts::ImportOptions;

int import_file(Session&, const ImportOptions& given) {
  ImportOptions options = given;
  options.workdir = kxm::find_run(given.workdir);
  print(load_engine().ckpt_import(options));
  return kFine;
}

const AddVerb<ImportOptions> verb = {{
    .name = "ckpt import",
    .place = 30,
    .summary = "Make a checkpoint from another program's file",
    .help = R"(
Names and layouts of PyTorch become those of Flax: weight becomes kernel (turned
around) or scale, layers.0 becomes layers_0. docs/checkpoints.md has the rules.
A checkpoint of Kauldron keeps names, layouts, optimizer state and step.

Examples:
  kd ckpt import model.safetensors runs/imported
  kd ckpt import flax_model.msgpack runs/imported --step=1000
  kd ckpt import kauldron_run/checkpoints/ckpt_500 runs/imported)",
    .options =
        [](Options& add, ImportOptions& o) {
          add.value("FILE", o.source, "FILE",
                    ".safetensors of PyTorch, .msgpack of Flax, or the folder of a checkpoint of "
                    "Kauldron",
                    config_files)
              ->required();
          add.value("WORKDIR", o.workdir, "WORKDIR",
                    "Gets the checkpoint; a folder, or a unit: 17/3", runs)
              ->required();
          add.value("--step", o.step, "N",
                    "Of the checkpoint; by default that of the source, or 0");
          add.flag("--keep-names", o.keep_names, "Names and layouts of PyTorch stay as they are");
        },
    .run = import_file,
}};

}  // namespace
}  // namespace cli
