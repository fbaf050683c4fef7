// kd check: tries a config and writes nothing.
#include "cli/engine.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "cli/without_effect.h"

namespace cli {
namespace {

struct CheckOptions {
  kd::engine::Options engine = {};
};

int check(Session& session, const CheckOptions& options) {
  const kd::engine::Api& api = load_engine();
  remark(api.start(options.engine));
  const konfig::ConfigDict cfg = session.trial_config();
  note_without_effect(cfg);
  print(api.check({.config = cfg, .stop_signal = nullptr}).text);
  print(ink_out(Ink::green, "The config works.") + "\n");
  return kFine;
}

const AddVerb<CheckOptions> verb = {{
    .name = "check",
    .place = 40,
    .summary = "Try a config: build it, one small step, write nothing",
    .help = R"(
Builds everything, checks keys and shapes, runs one step on two examples and
each evaluator on one batch. Nothing is written.

  --patch.NAME=VALUE      how the config is made short before the overrides:
                          stop_after_steps=1, batch_size=2, num_batches=1,
                          skip_eval, eval_run_once=False, skip_checkpointer=False,
                          skip_metrics, skip_summaries, profile. Other commands take
                          them, too: one of them makes the config short.

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
