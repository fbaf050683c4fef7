// kd ckpt diff: what differs between two checkpoints.
#include "cli/engine.h"
#include "cli/experiments.h"
#include "cli/terminal.h"
#include "cli/verb.h"

namespace cli {
namespace {

using kd::ckpts::DiffOptions;

int diff(Session&, const DiffOptions& given) {
  DiffOptions options = given;
  options.a = kxm::find_run(given.a);
  options.b = kxm::find_run(given.b);
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
  kd ckpt diff 17/3 17/4
  kd ckpt diff runs/a runs/a --a-step=500 --tolerance=1e-6)",
    .options =
        [](Options& add, DiffOptions& o) {
          add.value("A", o.a, "A", "One, as `kd ckpt show` takes it", runs)->required();
          add.value("B", o.b, "B", "The other", runs)->required();
          add.value("--a-step", o.a_step, "N", "Step of A, if it is a workdir");
          add.value("--b-step", o.b_step, "N", "Step of B, if it is a workdir");
          add.value("--tolerance", o.tolerance, "X", "Differences up to this are none");
        },
    .run = diff,
}};

}  // namespace
}  // namespace cli
