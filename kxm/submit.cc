#include "kxm/submit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <memory>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "base/file.h"
#include "base/real_path.h"
#include "konfig/error.h"
#include "kxm/added_impl.h"
#include "kxm/build_targets.h"
#include "kxm/check_impl.h"
#include "kxm/find_run.h"
#include "kxm/keep.h"
#include "kxm/relaunch.h"
#include "kxm/run_jobs.h"
#include "kxm/script_files_impl.h"
#include "kxm/state_impl.h"
#include "loader/config_files.h"

namespace kxm {
namespace {

namespace fs = std::filesystem;
using konfig::ConfigDict;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Value;

std::optional<int> given_xid(const ConfigDict& experiment) {
  const Value xid = experiment.get("xid", Value());
  if (xid.is_none()) return {};
  if (!xid.is<std::int64_t>() || xid.as<std::int64_t>() < 1) {
    throw Error(ErrorKind::value, "xp.xid: expected the number of an experiment, got " +
                                      xid.repr() + "; see `kd status`");
  }
  return static_cast<int>(xid.as<std::int64_t>());
}

// Of an experiment that gets further units.
void fill_existing(const State& state, int xid, PlanContext& context) {
  const auto row = state.experiment(xid);
  if (!row || !row->recorded) {
    throw Error(ErrorKind::value, "xp.xid: there is no experiment " + std::to_string(xid) +
                                      "; `kd status` lists them");
  }
  context.xid = xid;
  context.existing_units = state.next_wid(xid) - 1;
  for (const UnitRow& unit : state.units(xid)) context.existing_dirs.push_back(unit.dir);
  context.existing_title = row->title;
  context.existing_dir = row->dir;
  const Plan known = state.plan(xid);
  context.existing_max_parallel = known.max_parallel;
  context.existing_retries = known.retries;
  context.existing_fail_fast = known.fail_fast;
}

// What packages install changes with the system, not with the experiment.
bool belongs_to_system(const fs::path& program) {
  static const char* const kFolders[] = {"/usr/", "/bin/", "/sbin/", "/lib/"};
  return std::ranges::any_of(
      kFolders, [&](const char* folder) { return program.string().starts_with(folder); });
}

// Whether copies are made, or only their places are found.
enum class Copies { made, named };

// Where the copy of the first one is.
std::string keep(const std::vector<KeptFile>& files, const fs::path& store, Copies copies) {
  const Snapshot kept(store, files);
  if (copies == Copies::made) kept.write();
  return kept.path(files.front().name);
}

using BuiltPrograms = std::map<std::string, fs::path>;  // by their labels, "//dir:name"

BuiltPrograms build(const Plan& plan) {
  if (plan.targets.empty()) return {};
  try {
    return build_targets(plan.targets, find_project(plan.cwd));
  } catch (const Error& e) {
    throw NotBuilt(e);
  }
}

// Every argv[0] to the file that is run: the built one of a target, a kept copy of one's own.
std::map<std::string, std::string> keep_programs(const Plan& plan, const fs::path& store,
                                                 Copies copies, const BuiltPrograms& built) {
  std::map<std::string, std::string> out;
  for (const std::string& name : plan.programs) {
    const auto found = built.find(name);
    const fs::path program = found != built.end() ? found->second : fs::path(name);
    const bool to_build =
        found == built.end() && std::ranges::find(plan.targets, name) != plan.targets.end();
    // A name alone is an interpreter that $PATH has.
    if (to_build || !program.has_parent_path() || belongs_to_system(program)) {
      out[name] = program.string();
      continue;
    }
    out[name] =
        keep(is_python(program) ? script_files(program) : program_files(program), store, copies);
  }
  return out;
}

// Whether the file is the config itself: "./config.py" as it was typed.
bool is_config(const KeptFile& file, const LoadedConfig& config) {
  return fs::path(file.source) == fs::absolute(config.from.source).lexically_normal();
}

// The files of the plan; with the config those that it reads, in their order beside each other.
struct Neighbours {
  std::vector<KeptFile> files = {};
  std::map<std::string, std::string> names = {};  // from names in the plan
};

Neighbours with_neighbours(const Plan& plan, const PlanContext& context) {
  Neighbours out;
  for (const KeptFile& file : plan.files) {
    std::vector<loader::ConfigFile> read;
    std::string folder = "config/";
    if (context.config && is_config(file, *context.config)) {
      read = loader::config_files(
          {.source = context.config->from.source, .args = context.config->from.config_parameter});
    } else if (file.name.starts_with(kLoadedFile)) {
      read = loader::config_files({.source = file.source});
      folder = file.name.substr(0, file.name.rfind('/') + 1);
    }
    if (read.empty()) {
      out.names[file.name] = file.name;
      out.files.push_back(file);
      continue;
    }
    out.names[file.name] = folder + read.front().name;
    for (auto& one : read) {
      out.files.push_back({.name = folder + one.name, .source = one.source.string()});
    }
  }
  return out;
}

// The --xp=FILE of an experiment that goes on later, with what it reads.
std::string keep_experiment(const std::string& file, const fs::path& store) {
  if (file.empty()) return "";
  std::vector<KeptFile> files;
  for (auto& one : loader::config_files({.source = file})) {
    files.push_back({.name = one.name, .source = one.source.string()});
  }
  return files.empty() ? "" : keep(files, store, Copies::made);
}

// The config, from its kept copy where there is one.
ConfigProvider kept_config(const LoadedConfig& config, const Plan& plan,
                           const std::map<std::string, std::string>& paths) {
  ConfigProvider out = config.from;
  for (const KeptFile& file : plan.files) {
    if (is_config(file, config)) out.source = paths.at(file.name);
  }
  return out;
}

// Where its records are, or will be.
fs::path home_for(const State& state, const Plan& plan) {
  const auto known = state.experiment(plan.xid);
  return known && known->recorded ? fs::path(known->home) : home_of(plan, state.folder());
}

// Says whose a folder is. The units are read when it is asked first.
std::function<std::string(const std::string&)> owner_finder(const State& state) {
  struct Owners {
    bool known = false;
    std::unordered_map<std::string, Address> by_folder = {};
  };
  return [&state, owners = std::make_shared<Owners>()](const std::string& dir) -> std::string {
    if (!std::exchange(owners->known, true)) {
      for (auto& [folder, owner] : state.impl().unit_dirs()) {
        owners->by_folder.emplace(base::real_path(folder).string(), owner);
      }
    }
    const auto found = owners->by_folder.find(base::real_path(dir).string());
    return found == owners->by_folder.end() ? "" : to_text(found->second);
  };
}

// What the state says: the number, and what is there already.
void complete(const State& state, const ConfigDict& experiment, PlanContext& context) {
  context.run_folder = run_finder(state);
  context.owner = owner_finder(state);
  if (const auto xid = given_xid(experiment)) return fill_existing(state, *xid, context);
  context.xid = state.next_xid();
  context.begins = true;
}

// Before a number is used for it.
Plan checked_plan(const State& state, const ConfigDict& experiment, const PlanContext& context,
                  const SubmitOptions& options) {
  Plan plan = make_plan(experiment, context);
  check_units(plan);
  if (context.begins) check_new_home(state, home_of(plan, state.folder()));
  if (!context.begins) check_added(state, plan, options.executor);
  if (!plan.targets.empty()) find_project(plan.cwd);  // an Error if there is none
  return plan;
}

// A plan whose jobs read and run the copies.
struct Kept {
  Plan plan;
  std::map<std::string, std::string> files = {}, programs = {};  // from names in the plan
  ConfigProvider config = {};                                    // from its copy
};

Kept with_kept(Plan plan, const ConfigDict& experiment, PlanContext context, const fs::path& home,
               Copies copies, const BuiltPrograms& built) {
  Kept out;
  if (context.config) out.config = context.config->from;
  if (!plan.files.empty()) {
    const Neighbours kept = with_neighbours(plan, context);
    const Snapshot files(home / kStore, kept.files);
    for (auto& [name, stored] : kept.names) out.files[name] = files.path(stored);
    context.kept_path = [paths = out.files](const KeptFile& file) { return paths.at(file.name); };
    plan = make_plan(experiment, context);
    if (context.config) out.config = kept_config(*context.config, plan, out.files);
    plan.files = kept.files;  // copied with the record
  }
  out.programs = keep_programs(plan, home / kStore, copies, built);
  use_programs(plan, out.programs);
  out.plan = std::move(plan);
  return out;
}

}  // namespace

Plan preview(const State& state, const ConfigDict& experiment, const SubmitOptions& options) {
  PlanContext context = options.context;
  complete(state, experiment, context);
  Plan plan = checked_plan(state, experiment, context, options);
  const fs::path home = home_for(state, plan);
  return with_kept(std::move(plan), experiment, std::move(context), home, Copies::named, {}).plan;
}

namespace {

// Keeps what it needs and records it.
Plan record(State& state, const ConfigDict& experiment, const SubmitOptions& options,
            const PlanContext& context, const BuiltPrograms& built, Plan plan) {
  const fs::path home = home_for(state, plan);
  Kept kept = with_kept(std::move(plan), experiment, context, home, Copies::made, built);
  plan = std::move(kept.plan);
  if (plan.steering) plan.steering = with_programs(plan.steering, kept.programs);
  std::map<std::string, std::string> beside;
  if (plan.steering || plan.executor) {
    beside[kRelaunch] =
        relaunch_json({.experiment = experiment,
                       .experiment_file = keep_experiment(options.experiment_file, home / kStore),
                       .config = kept.config,
                       .kept = kept.files,
                       .programs = kept.programs,
                       .kd = context.kd,
                       .cwd = plan.cwd,
                       .launch_dir = context.launch_dir,
                       .planned = static_cast<int>(plan.units.size())});
  }
  state.record(plan, options.executor, beside);
  return plan;
}

// To an experiment that is there.
Plan record_more(State& state, const ConfigDict& experiment, const SubmitOptions& options,
                 PlanContext context, const BuiltPrograms& built, Plan plan) {
  for (;;) {
    try {
      return record(state, experiment, options, context, built, std::move(plan));
    } catch (const OutdatedPlan&) {  // another process added units meanwhile
      context = options.context;
      complete(state, experiment, context);
      plan = make_plan(experiment, context);
    }
  }
}

// Nothing came of this number: it is not listed, and not used again.
void give_back(State& state, int xid) {
  try {
    const auto row = state.experiment(xid);
    if (row && !row->recorded) state.remove(xid);
  } catch (const std::exception&) {  // of a full disk, too: then it is listed as never launched
  }
}

// A number for the plan, which another process may have been given meanwhile.
void reserve(State& state, const ConfigDict& experiment, PlanContext& context, Plan& plan) {
  for (;;) {
    context.xid = state.reserve(plan.xid);
    if (context.xid == plan.xid) break;
    plan = make_plan(experiment, context);
    if (context.xid == plan.xid) break;
    give_back(state, context.xid);  // its folder is there
  }
  context.begins = false;
}

// An Error if nothing could be written there. A number that a full disk makes useless is not taken.
void check_place(const fs::path& place) {
  constexpr std::size_t kLittle = 1 << 16;
  fs::path there = place;  // or the first folder above it that is there
  std::error_code unknown;
  while (!fs::exists(fs::symlink_status(there, unknown)) && there.has_relative_path()) {
    there = there.parent_path();
  }
  std::string trial = (there / ".kxm-XXXXXX").string();
  const int file = ::mkostemp(trial.data(), O_CLOEXEC);
  if (file < 0) {
    throw Error(ErrorKind::value, there.string() + ": cannot be written to: " +
                                      std::generic_category().message(errno) +
                                      "; choose another folder: --xp.root_dir=DIR");
  }
  ::unlink(trial.c_str());
  base::File(file, trial).write(std::string(kLittle, ' '));
}

}  // namespace

Plan submit(State& state, const ConfigDict& experiment, const SubmitOptions& options) {
  PlanContext context = options.context;
  complete(state, experiment, context);
  Plan plan = checked_plan(state, experiment, context, options);
  check_place(home_for(state, plan));
  check_place(state.folder());
  // An Error for a file that cannot be kept.
  if (!plan.files.empty()) Snapshot(fs::path(), with_neighbours(plan, context).files);
  if (options.go_on && !options.go_on(plan)) return plan;
  const BuiltPrograms built = build(plan);  // before a number is used
  if (given_xid(experiment)) return record_more(state, experiment, options, context, built, plan);
  try {
    reserve(state, experiment, context, plan);
    return record(state, experiment, options, context, built, std::move(plan));
  } catch (...) {
    give_back(state, context.xid);
    throw;
  }
}

}  // namespace kxm
