// kd check: tries a config and leaves nothing behind.
#include "cli/engine.h"
#include "cli/runs.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/without_effect.h"

namespace cli {
namespace {

struct CheckOptions {
  kd::engine::Options engine = {};
};

int check(Session& session, const CheckOptions& options) {
  const konfig::ConfigDict full = session.full_config();
  const kd::engine::Api& api = load_engine();
  remark(api.start(options.engine));
  note_without_effect(full);
  note_unbatched(full);
  print(api.check({.config = session.trial_config(), .full = full, .stop_signal = nullptr}).text);
  print(ink_out(Ink::green, "The config works.") + "\n");
  return kFine;
}

const AddVerb<CheckOptions> verb = {{
    .name = "check",
    .place = 40,
    .summary = "Try a config: build it, one small step, write nothing",
    .help = R"(
Builds everything, checks keys and shapes, runs one step on three examples and
each evaluator on one batch. A step that learns nothing, or whose loss or
parameters are not finite, is an error. Writer, checkpointer and profiler are tried in a
scratch folder, which is removed afterwards.

  --patch.NAME=VALUE      how the config is made short after the overrides:
                          stop_after_steps=1, batch_size=3, num_batches=1,
                          eval_run_once, skip_eval, skip_checkpointer,
                          skip_metrics, skip_summaries, profile, checkify;
                          --patch.noNAME switches one off. A path that --cfg.PATH
                          overrides keeps that value, and so does a part with such
                          a path in it. Other commands take them, too: one of them
                          makes the config short, with batch_size=devices and
                          skip_checkpointer.

Examples:
  kd check --cfg=mnist_autoencoder
  kd check --cfg=mnist_autoencoder --patch.batch_size=64 --patch.stop_after_steps=10
  kd check --cfg=my_config.cc --cfg.model.encoder.features=64)",
    .explains_config = true,
    .options = [](Options& add, CheckOptions& o) { add_engine_flags(add, o.engine); },
    .run = check,
}};

}  // namespace
}  // namespace cli
