// kd resume: goes on with a run that was stopped, or with an experiment that was launched.
#include <algorithm>
#include <filesystem>

#include "cli/engine.h"
#include "cli/errors.h"
#include "cli/experiments.h"
#include "cli/format.h"
#include "cli/launch.h"
#include "cli/refusal.h"
#include "cli/runs.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "kxm/address.h"
#include "kxm/find_run.h"
#include "kxm/relaunch.h"

namespace cli {
namespace {

namespace fs = std::filesystem;

struct ResumeOptions {
  kd::engine::Options engine = {};
  std::string workdir = "";
  bool detach = false, quiet = false, tensorboard = false, waiting = false;
  Format format = Format::text;
};

[[noreturn]] void refuse_config(int xid) {
  throw UsageError(
      "--cfg: the config of an experiment is the one it was launched with; `kd launch --xp.xid=" +
      std::to_string(xid) + " --cfg=...` adds units");
}

[[noreturn]] void refuse_missing(const std::string& folder) {
  throw UsageError("there is no folder " + folder + "; `kd status` lists what was launched");
}

// `kd resume DIR --cfg.x=1` changes the config of the run: --cfg=DIR/config.json is understood.
void name_config_of_run(std::vector<std::string>& args, ResumeOptions&) {
  if (args.size() < 2 || args[0] != "resume" || args[1].starts_with("-")) return;
  const auto any = [&](auto fits) { return std::any_of(args.begin(), args.end(), fits); };
  if (any([](auto& arg) { return arg == "--cfg" || arg.starts_with("--cfg="); })) return;
  if (any([](auto& arg) { return arg.starts_with("--cfg.") || arg.starts_with("--nocfg."); }) &&
      !fs::exists(args[1])) {
    if (const auto launched = kxm::parse_address(args[1])) refuse_config(launched->xid);
    refuse_missing(args[1]);
  }
  const auto file = fs::path(args[1]) / "config.json";
  if (fs::exists(file)) args.insert(args.begin() + 2, "--cfg=" + file.string());
}

// A second training in the folder would spoil the first one.
void check_not_trained(const kxm::Address& what, const kxm::UnitRow& unit) {
  for (const kxm::JobRow& job : unit.jobs) {
    if (!job.trainer) continue;
    throw Refusal(kxm::to_text(what) + ": " + job.why() + "; `kd resume " + kxm::to_text(what) +
                  "` goes on once that has ended");
  }
}

// What failed, was stopped or never began; running jobs are adopted.
int resume_launched(Session& session, const kxm::Address& what, const ResumeOptions& options) {
  if (session.has_config()) refuse_config(what.xid);
  if (!what.job.empty()) {
    throw UsageError("a unit goes on as a whole: kd resume " +
                     kxm::to_text({.xid = what.xid, .wid = what.wid}));
  }
  const kd::engine::Options usual;
  if (options.engine.threads != usual.threads || options.engine.device != usual.device) {
    throw UsageError(
        "--threads and --device are for the folder of a run; the jobs of an experiment "
        "keep what they were launched with");
  }
  kxm::State state(kxm::state_folder());
  if (!kxm::find_experiment(state, what.xid).recorded) {
    throw Failure("experiment " + std::to_string(what.xid) +
                  " has no units: its launcher died before it recorded any; launch it again");
  }
  if (what.wid) check_not_trained(what, state.unit(what.xid, *what.wid));
  kxm::Resumed resumed = kxm::read_relaunch(state, what.xid);
  if (what.wid) resumed.steering = nullptr;  // one unit alone
  return run_launched(state, what.xid,
                      {.again = !options.waiting,
                       .wid = what.wid,
                       .detach = options.detach,
                       .logs = !options.quiet,
                       .json = options.format == Format::json,
                       .tensorboard = options.tensorboard,
                       .steering = resumed.steering,
                       .executor = resumed.executor});
}

// The folder of a whole experiment was named.
[[noreturn]] void refuse_experiment(int xid, const ResumeOptions& options) {
  const kxm::State state = open_state();
  const auto known = state.experiment(xid);
  const std::string number = std::to_string(xid);
  std::error_code error;
  const bool here = known && fs::equivalent(known->dir, options.workdir, error);
  const std::string resume = "`kd resume xid:" + number + "`";
  if (known && !here && missing_text(*known).empty()) {
    throw UsageError(options.workdir + " is the folder of an experiment " + number +
                     " of another state; " + resume + " goes on with that of this state, and in " +
                     "a state of its own, `KD_STATE=FOLDER kd state rebuild " + options.workdir +
                     "`, with this one");
  }
  throw UsageError(options.workdir + " is the folder of experiment " + number + ": " +
                   (here ? "" : "first `kd state rebuild " + options.workdir + "`, then ") +
                   resume);
}

// What else the name of a folder may mean.
std::string other_meaning(const std::optional<kxm::Address>& launched) {
  if (!launched || !open_state().experiment(launched->xid)) return "";
  return "; what was launched is `kd resume xid:" + kxm::to_text(*launched) + "`";
}

int resume(Session& session, const ResumeOptions& options) {
  const auto launched = kxm::parse_address(options.workdir);
  if (launched && !fs::exists(options.workdir)) {
    return resume_launched(session, *launched, options);
  }
  if (!fs::exists(options.workdir)) refuse_missing(options.workdir);
  if (const auto xid = kxm::experiment_in(options.workdir)) refuse_experiment(*xid, options);
  if (options.detach || options.quiet || options.tensorboard || options.waiting ||
      options.format != Format::text) {
    throw UsageError(
        "--detach, --quiet, --tensorboard, --waiting and --format are for "
        "experiments: kd resume 17, and " +
        options.workdir + " is a folder" + other_meaning(launched));
  }
  if (!session.has_config()) {
    throw Failure(options.workdir +
                  "/config.json is missing: is it the folder of a run? Name the config: --cfg=..." +
                  other_meaning(launched));
  }
  konfig::ConfigDict cfg = session.config().copy();
  set_workdir(cfg, options.workdir);
  if (!fs::exists(fs::path(options.workdir) / "checkpoints")) {
    remark(options.workdir + " has no checkpoints: the run starts again");
  }
  return train_in(session, std::move(cfg), options.workdir, options.engine);
}

const AddVerb<ResumeOptions> verb = {{
    .name = "resume",
    .place = 20,
    .summary = "Go on with a run or an experiment that was stopped",
    .help = R"(
`kd resume FOLDER` trains here. `kd resume 17` goes on with the experiment of that
number (see `kd status`): it adopts what runs, runs again what failed or was stopped,
and starts what never was; `kd resume 17/3` does so with one unit. A folder of that
name comes first; xid:17 is always the experiment.

Of a folder it reads WORKDIR/config.json and goes on from the newest checkpoint. Types of a C++
config of your own come from the file that the run was started with.
--cfg=my_config.cc takes the config, and its types, from another file.
Overrides change the config: --cfg.num_train_steps=2000.

Examples:
  kd resume runs/mnist_autoencoder-1
  kd resume runs/mnist_autoencoder-1 --cfg.num_train_steps=2000
  kd resume 17)",
    .options =
        [](Options& add, ResumeOptions& o) {
          add.value("WORKDIR", o.workdir, "WORKDIR", "The folder of the run, or 17, 17/3", runs)
              ->required();
          add.flag("--detach", o.detach, "Of an experiment: goes on in the background");
          add.flag("--quiet", o.quiet, "Of an experiment: does not show what the jobs print");
          add.flag("--tensorboard", o.tensorboard,
                   "Of an experiment: runs TensorBoard on its folder meanwhile");
          add.flag("--waiting", o.waiting,
                   "Of an experiment: starts what waits, and leaves what failed or was stopped");
          add.choice("--format", o.format, "Of an experiment: the notation of the summary");
          add_engine_flags(add, o.engine);
        },
    .prepare = name_config_of_run,
    .run = resume,
}};

}  // namespace
}  // namespace cli
