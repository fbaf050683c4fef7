#include "cli/runs.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>

#include "base/count_text.h"
#include "base/file.h"
#include "base/stop_signal.h"
#include "cli/config_source.h"
#include "cli/diff.h"
#include "cli/engine.h"
#include "cli/errors.h"
#include "cli/program.h"
#include "cli/terminal.h"
#include "cli/without_effect.h"
#include "konfig/error.h"
#include "konfig/json.h"
#include "kxm/address.h"
#include "kxm/find_run.h"

namespace cli {

namespace fs = std::filesystem;
using konfig::ConfigDict;
using konfig::Value;

namespace {

std::string workdir_in(const ConfigDict& cfg) {
  const Value value = cfg.get("workdir", Value());
  return value.is<std::string>() ? value.as<std::string>() : "";
}

// Of a finished run; the folder is for the results alone.
bool only_evaluates(const ConfigDict& cfg) {
  const Value setup = cfg.get("setup", Value());
  return setup.is<ConfigDict>() &&
         setup.as<ConfigDict>().get("eval_only", Value(false)) == Value(true);
}

// "my_config" of "configs/my_config.cc:size=3".
std::string name_of(const Session& session) {
  const std::string stem = fs::path(session.flag().source).stem().string();
  return stem.empty() || stem == "-" ? "run" : stem;
}

// A new folder below ./runs. Made here, so that no other run takes it.
std::string fresh_workdir(const std::string& name) {
  std::error_code error;
  fs::create_directories("runs", error);
  if (error) {
    throw Failure("the folder " + fs::absolute("runs").string() +
                  " cannot be made: " + error.message() + "; name another one: --cfg.workdir=DIR");
  }
  for (int i = 1;; ++i) {
    const fs::path folder = fs::path("runs") / (name + "-" + std::to_string(i));
    if (fs::create_directory(folder)) return folder.string();
  }
}

std::vector<std::string> split(const std::string& names) {
  std::vector<std::string> out;
  std::istringstream in(names);
  for (std::string name; std::getline(in, name, ',');) {
    if (!name.empty()) out.push_back(name);
  }
  return out;
}

// "runs/a/config.json": the config that a run began with.
fs::path config_file(const std::string& workdir) { return fs::path(workdir) / "config.json"; }

// The config that a run began with; nothing for a new run, and where the file is damaged: the
// training says so, and writes it anew.
std::optional<ConfigDict> first_config(const std::string& workdir) {
  std::error_code ignored;
  if (!fs::exists(fs::path(workdir) / "checkpoints", ignored)) return {};
  const auto text = base::try_read_file(config_file(workdir));
  if (!text) return {};
  try {
    return konfig::config_from_json(*text);
  } catch (const konfig::Error&) {
    return {};
  }
}

// What is not as it was when the run began.
std::vector<Change> changes_of_run(const std::string& workdir, const ConfigDict& cfg) {
  const auto first = first_config(workdir);
  if (!first) return {};
  std::vector<Change> out = diff(Value(*first), Value(cfg));
  std::erase_if(out, [](const Change& change) { return change.path == "workdir"; });
  return out;
}

void note_changes(const std::string& workdir, const std::vector<Change>& changes) {
  if (changes.empty()) return;
  constexpr std::size_t kMost = 8;
  std::string text =
      "the config is not the one the run began with (" + config_file(workdir).string() + "):";
  for (std::size_t i = 0; i < std::min(kMost, changes.size()); ++i) {
    text += "\n  " + to_line(changes[i]);
  }
  if (changes.size() > kMost) text += "\n  and " + std::to_string(changes.size() - kMost) + " more";
  remark(text);
}

// "17/3" of a job of `kd launch`, which books how it goes on; "" of all other runs.
std::string launched_as() {
  const char* xid = std::getenv("KXM_XID");
  const char* wid = std::getenv("KXM_WID");
  return xid && wid ? std::string(xid) + "/" + wid : "";
}

// Whether it is a job on Slurm that is queued again when its time is over.
bool is_queued_again() {
  const char* requeues = std::getenv("KXM_REQUEUES");
  return requeues && std::string_view(requeues) != "0";
}

// What to do about a run that was stopped.
std::string how_to_go_on(const std::string& workdir, bool changed) {
  const std::string launched = launched_as();
  if (!launched.empty() && is_queued_again()) {
    return "At a time limit or when it is preempted, Slurm starts it again; after a stop: kd "
           "resume " +
           launched;
  }
  if (!launched.empty()) return "To go on: kd resume " + launched;
  return changed ? "To go on: the same command again (the config was changed)"
                 : "To go on: kd resume " + workdir;
}

}  // namespace

void note_changed_experiment(const std::string& workdir, const ConfigDict& lowered) {
  constexpr std::string_view kExperiment = "aux.experiment.";
  std::vector<Change> changes;
  for (Change& change : changes_of_run(workdir, lowered)) {
    if (!change.path.starts_with(kExperiment)) continue;
    change.path.erase(0, kExperiment.size());
    // Where the run is, and what it shows.
    const auto others = {"trainer.ckpt_dir", "cfg_file", "logging_level", "trainer.verbose",
                         "trainer.display_loss_every_it"};
    if (std::ranges::find(others, change.path) == others.end()) {
      changes.push_back(std::move(change));
    }
  }
  note_changes(workdir, changes);
}

void note_unbatched(const ConfigDict& cfg) {
  const Value data = cfg.get("train_ds", Value());
  auto* pipeline = data.get_if<ConfigDict>();
  const Value size = pipeline ? pipeline->get("batch_size", Value()) : Value();
  if (!(size == Value(0))) return;
  remark("note: cfg.train_ds.batch_size is 0: each step gets one example without a batch axis");
}

void set_workdir(ConfigDict& cfg, const std::string& workdir) {
  const auto guard = cfg.ignore_type();
  cfg.set("workdir", workdir);
}

int train_in(Session& session, ConfigDict cfg, const std::string& workdir,
             const kd::engine::Options& engine) {
  const base::StopSignal stop;
  const kd::engine::Api& api = load_engine();
  remark(api.start(engine));
  remark("writing to " + workdir);
  note_without_effect(cfg);
  const std::vector<Change> changes = changes_of_run(workdir, cfg);
  note_changes(workdir, changes);
  note_unbatched(cfg);
  const auto result = api.train({.config = std::move(cfg),
                                 .source = source_to_keep(session.flag().source),
                                 .stop_signal = &base::StopSignal::received()});
  if (!result.stopped) {
    remark("done: " + base::count_text(result.step, "step") + ", in " + workdir);
    return kFine;
  }
  remark("stopped after " + base::count_text(result.step, "step") + "; " +
         (result.saved ? "all is saved. " + how_to_go_on(workdir, !changes.empty())
                       : "not saved: the config has no checkpointer"));
  return 128 + base::StopSignal::received();
}

int train(Session& session, const kd::engine::Options& engine) {
  ConfigDict cfg = session.config().copy();
  if (const std::string given = kxm::find_run_or_new(workdir_in(cfg)); !given.empty()) {
    set_workdir(cfg, given);
    return train_in(session, std::move(cfg), given, engine);
  }
  const std::string workdir = fresh_workdir(name_of(session));
  set_workdir(cfg, workdir);
  try {
    return train_in(session, std::move(cfg), workdir, engine);
  } catch (...) {
    std::error_code has_files;
    fs::remove(workdir, has_files);  // a mistake in the config leaves nothing behind
    throw;
  }
}

namespace {

// --cfg.aux.xid=17 alone, over the unit 1 that such configs begin with: of several none is meant.
void check_unit_is_named(Session& session) {
  const Value* xid = nullptr;
  for (auto& given : session.flag().overrides) {
    if (given.path == "aux.wid") return;
    if (given.path == "aux.xid") xid = &given.value;
  }
  if (!xid || konfig::to_json(session.config()).find("from_xid") == std::string::npos) return;
  const std::string name = xid->is<std::string>() ? xid->as<std::string>() : xid->repr();
  const auto address = kxm::parse_address(name);
  if (!address || address->wid || fs::exists(name)) return;
  try {
    kxm::find_run(*address);
  } catch (const konfig::Error& e) {
    throw konfig::Error(e.kind(), "aux.xid", e.message());
  }
}

}  // namespace

int eval(Session& session, const EvalChoice& choice, const kd::engine::Options& engine) {
  if (!choice.names.empty() && !choice.job_group.empty()) {
    throw UsageError("--eval_names and --job_group both choose evaluators; give one of them");
  }
  check_unit_is_named(session);
  ConfigDict cfg = session.config().copy();
  if (workdir_in(cfg).empty() && !only_evaluates(cfg)) {
    throw UsageError(
        "which run? Add --cfg.workdir=DIR, the folder with its checkpoints, or a unit: 17/3");
  }
  if (workdir_in(cfg).empty()) set_workdir(cfg, fresh_workdir(name_of(session)));
  if (!only_evaluates(cfg)) set_workdir(cfg, kxm::find_run(workdir_in(cfg)));
  const base::StopSignal stop;
  const kd::engine::Api& api = load_engine();
  remark(api.start(engine));
  remark("the results: " + workdir_in(cfg));
  note_without_effect(cfg);
  const auto result = api.eval({.config = cfg,
                                .eval_names = split(choice.names),
                                .job_group = choice.job_group,
                                .quiet_seconds = choice.quiet_seconds,
                                .stop_signal = &base::StopSignal::received()});
  return result.stopped ? 128 + base::StopSignal::received() : kFine;
}

}  // namespace cli
