// kd train: trains what a config describes.
#include "cli/engine.h"
#include "cli/reference_flags.h"
#include "cli/runs.h"
#include "cli/verb.h"

namespace cli {
namespace {

struct TrainOptions {
  kd::engine::Options engine = {};
};

const AddVerb<TrainOptions> verb = {{
    .name = "train",
    .place = 10,
    .summary = "Train what a config describes",
    .help = R"(
The run writes to the folder --cfg.workdir=DIR, by default to a new one below
./runs. If that folder has checkpoints, the run goes on from the newest.

Ctrl-C, or SIGTERM, ends the run after the step, with a checkpoint to go on
from: exit code 130 or 143. A second one ends it at once.

Examples:
  kd train --cfg=mnist_autoencoder
  kd train --cfg=my_config.cc --cfg.workdir=runs/a --cfg.num_train_steps=100)",
    .explains_config = true,
    .options = [](Options& add, TrainOptions& o) { add_engine_flags(add, o.engine); },
    .prepare = [](std::vector<std::string>& args, TrainOptions&) { drop_reference_flags(args); },
    .run = [](Session& session, const TrainOptions& o) { return train(session, o.engine); },
}};

}  // namespace
}  // namespace cli
