// kd without a verb: what its help begins and ends with, and a config alone.
#include "cli/runs.h"
#include "cli/verb.h"

namespace cli {
namespace {

struct BareOptions {
  std::string eval_names = "";
};

// `kd --cfg=...` trains, as the reference's program does.
int train_or_eval(Session& session, const BareOptions& options) {
  return options.eval_names.empty() ? train(session, {})
                                    : eval(session, {.names = options.eval_names}, {});
}

const AddVerb<BareOptions> verb = {{
    .name = "",
    .place = 0,
    .summary = "Kauldron for C++: experiments as configs.",
    .help = R"(
Examples:
  kd train --cfg=mnist_autoencoder
  kd new my_project
  kd config list
  kd config show --cfg=mnist_autoencoder --cfg.seed=1
  kd config diff mnist_autoencoder other.json
  kd data show --cfg=mnist_autoencoder --out=batch.png

Every command explains itself: kd config show --help.
Exit codes: 0 fine, 1 failure (also: configs differ), 2 wrong usage, 130 or 143 a
run was stopped.)",
    .options =
        [](Options& add, BareOptions& o) {
          add.value("--eval_names", o.eval_names, "A,B",
                    "With --cfg and no command: evaluates these instead of training");
        },
    .run = train_or_eval,
}};

}  // namespace
}  // namespace cli
