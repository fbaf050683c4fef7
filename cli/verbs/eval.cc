// kd eval: evaluates the checkpoints of a run.
#include "cli/engine.h"
#include "cli/reference_flags.h"
#include "cli/runs.h"
#include "cli/verb.h"

namespace cli {
namespace {

struct EvalOptions {
  kd::engine::Options engine = {};
  EvalChoice choice = {};
};

const AddVerb<EvalOptions> verb = {{
    .name = "eval",
    .place = 30,
    .summary = "Evaluate the checkpoints of a run",
    .help = R"(
Runs evaluators that have a job of their own (StandaloneEveryCheckpoint,
StandaloneLastCheckpoint) on the checkpoints in --cfg.workdir, a folder or a unit
that was launched, until training is complete. A config that only evaluates a
finished run needs no workdir: its results go to a new folder below ./runs.

Examples:
  kd eval --cfg=mnist_standalone_eval --cfg.workdir=runs/a
  kd eval --cfg=mnist_standalone_eval --cfg.workdir=17/3
  kd eval --cfg=mnist_standalone_eval --cfg.workdir=runs/a --eval_names=eval1,eval2
  kd eval --cfg=mnist_standalone_eval --cfg.workdir=runs/a --job_group=eval_along)",
    .explains_config = true,
    .options =
        [](Options& add, EvalOptions& o) {
          add.value("--eval_names", o.choice.names, "A,B",
                    "Which evaluators; by default all that run in jobs of their own");
          add.value("--job_group", o.choice.job_group, "NAME",
                    "Those whose run strategy has this job_group, as the launcher groups them");
          add.value("--quiet_seconds", o.choice.quiet_seconds, "S",
                    "How long to wait for another checkpoint of a run that is complete");
          add_engine_flags(add, o.engine);
        },
    .prepare = [](std::vector<std::string>& args, EvalOptions&) { drop_reference_flags(args); },
    .run = [](Session& session, const EvalOptions& o) { return eval(session, o.choice, o.engine); },
}};

}  // namespace
}  // namespace cli
