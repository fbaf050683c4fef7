// kd ckpt diff: what differs between two checkpoints.
#include "cli/engine.h"
#include "cli/terminal.h"
#include "cli/verb.h"

namespace cli {
namespace {

using kd::ckpts::DiffOptions;

int diff(Session&, const DiffOptions& options) {
  const kd::ckpts::Diff diff = load_engine().ckpt_diff(options);
  print(diff.text);
  return diff.equal ? kFine : kFailure;
}

const AddVerb<DiffOptions> verb = {{
    .name = "ckpt diff",
    .place = 20,
    .summary = "Compare two checkpoints",
    .help = R"(
Prints the tensors that differ, and by how much. Exit code 1 when some do.

Examples:
  kd ckpt diff runs/a runs/b
  kd ckpt diff runs/a runs/a --a-step=500 --tolerance=1e-6)",
    .options =
        [](Options& add, DiffOptions& o) {
          add.value("A", o.a, "A", "One, as `kd ckpt show` takes it")->required();
          add.value("B", o.b, "B", "The other")->required();
          add.value("--a-step", o.a_step, "N", "Step of A, if it is a workdir");
          add.value("--b-step", o.b_step, "N", "Step of B, if it is a workdir");
          add.value("--tolerance", o.tolerance, "X", "Differences up to this are none");
        },
    .run = diff,
}};

}  // namespace
}  // namespace cli
