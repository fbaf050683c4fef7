// kd resume: goes on with a run that was stopped.
#include <algorithm>
#include <filesystem>

#include "cli/engine.h"
#include "cli/errors.h"
#include "cli/runs.h"
#include "cli/terminal.h"
#include "cli/verb.h"

namespace cli {
namespace {

namespace fs = std::filesystem;

struct ResumeOptions {
  kd::engine::Options engine = {};
  std::string workdir = "";
};

// `kd resume DIR --cfg.x=1` changes the config of the run: --cfg=DIR/config.json is understood.
void name_config_of_run(std::vector<std::string>& args, ResumeOptions&) {
  if (args.size() < 2 || args[0] != "resume" || args[1].starts_with("-")) return;
  const bool named = std::any_of(args.begin(), args.end(), [](auto& arg) {
    return arg == "--cfg" || arg.starts_with("--cfg=");
  });
  const auto file = fs::path(args[1]) / "config.json";
  if (named || !fs::exists(file)) return;
  args.insert(args.begin() + 2, "--cfg=" + file.string());
}

int resume(Session& session, const ResumeOptions& options) {
  if (!fs::exists(options.workdir)) throw UsageError("there is no folder " + options.workdir);
  if (!session.has_config()) {
    throw Failure(options.workdir +
                  "/config.json is missing: is it the folder of a run? Name the config: --cfg=...");
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
    .summary = "Go on with a run that was stopped",
    .help = R"(
Reads WORKDIR/config.json and goes on from the newest checkpoint. Types of a C++
config of your own come from the file that the run was started with.
--cfg=my_config.cc takes the config, and its types, from another file.
Overrides change the config: --cfg.num_train_steps=2000.

Examples:
  kd resume runs/mnist_autoencoder-1
  kd resume runs/mnist_autoencoder-1 --cfg.num_train_steps=2000)",
    .options =
        [](Options& add, ResumeOptions& o) {
          add.value("WORKDIR", o.workdir, "WORKDIR", "The folder of the run")->required();
          add_engine_flags(add, o.engine);
        },
    .prepare = name_config_of_run,
    .run = resume,
}};

}  // namespace
}  // namespace cli
