#include "kxm/experiments.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <sstream>

#include "base/join.h"
#include "flags/config_args.h"
#include "konfig/lower.h"
#include "konfig/suggest.h"
#include "kxm/experiment.h"
#include "kxm/run_jobs.h"
#include "loader/loader.h"

namespace kxm {
namespace {

using konfig::ConfigDict;
using konfig::Error;
using konfig::ErrorKind;

Experiment kd_base() {
  return {.jobs_provider = KauldronJobs(),
          .root_dir = "runs",
          .subdir_format = SubdirFormat{.wu_dirname = "{wid}{separator_if_sweep}{sweep_kwargs}"},
          .sweep_info = KauldronSweep()};
}

Experiment kd_run() {
  return {.name = kRunExperiment,
          .jobs_provider = RunJobs(),
          .root_dir = "runs",
          .subdir_format = SubdirFormat{.wu_dirname = "{wid}{separator_if_sweep}{sweep_kwargs}"}};
}

Experiment single() { return {.jobs = {{"main", Job()}}}; }

// "single" of "single" and of "kauldron/xm/configs/single.py"; "" when it is neither.
std::string builtin_name(const std::string& source) {
  std::string name = source;
  for (const char* folder : {"kauldron/xm/configs/", "kauldron/kauldron/xm/configs/"}) {
    std::error_code error;
    if (!source.starts_with(folder) || std::filesystem::exists(source, error)) continue;
    name = std::filesystem::path(source).stem().string();
  }
  for (auto& known : experiment_names()) {
    if (name == known) return name;
  }
  return "";
}

ConfigDict load(const flags::ConfigFlag& flag, const std::vector<std::string>& args) {
  const std::string name = builtin_name(flag.source);
  if (!name.empty()) {
    if (!flag.args.empty() || !flag.config_args.empty()) {
      throw Error(ErrorKind::value, "--xp=" + flag.source +
                                        ": it takes no arguments; set its fields "
                                        "with --xp.FIELD=VALUE");
    }
    return konfig::lower(name == "single"         ? single()
                         : name == kRunExperiment ? kd_run()
                                                  : kd_base());
  }
  try {
    return loader::load({.source = flag.source,
                         .args = flag.args,
                         .config_args = flags::config_args(flag),
                         .overrides = [&](const ConfigDict& cfg) {
                           return flags::overridden_values(cfg, flag, args);
                         }});
  } catch (const Error& e) {
    if (flag.source.find_first_of("./") != flag.source.npos) throw;
    throw Error(e.kind(), "--xp=" + flag.source + ": no experiment of this name" +
                              konfig::did_you_mean(flag.source, experiment_names()) +
                              " (there are " + base::join(experiment_names(), ", ") +
                              "; files end in .cc, .py, .json or .yaml)");
  }
}

// --xp.executor=local is a name, where else an object would be.
void name_executor(ConfigDict& xp, flags::ConfigFlag& flag) {
  auto& all = flag.overrides;
  auto it = std::find_if(all.begin(), all.end(), [](const flags::Override& o) {
    return o.path == "executor" && o.value.is<std::string>() && !o.text.starts_with("py::");
  });
  if (it == all.end()) return;
  const auto unchecked = xp.ignore_type();
  xp.set("executor", it->value);
  all.erase(it);
}

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> out;
  std::istringstream in(path);
  for (std::string part; std::getline(in, part, '.');) out.push_back(part);
  return out;
}

// None where there is something else.
std::optional<ConfigDict> map_at(ConfigDict node, std::span<const std::string> path) {
  for (auto& key : path) {
    const konfig::Value below = node.get(key, konfig::None());
    if (!below.is<ConfigDict>()) return {};
    node = below.as<ConfigDict>();
  }
  return node;
}

// --xp.jobs.train.priority=100 of a job that the config brings: it is added to what that says.
void name_job(ConfigDict& xp, const std::vector<std::string>& path) {
  if (path.size() < 3 || path[0] != "jobs") return;
  if (!xp.get("jobs_provider", konfig::None()).is<ConfigDict>()) return;
  const auto unchecked = xp.ignore_type();
  const auto known = map_at(xp, std::span(path).first(1));
  ConfigDict jobs = known.value_or(ConfigDict());
  if (!jobs.contains(path[1])) jobs.set(path[1], konfig::call("kauldron.kxm:Job"));
  if (!known) xp.set("jobs", jobs);
}

// --xp.args.model.dim=3 is the argument --model.dim, unless there is one called `model`; the names
// of files have points, too.
void name_whole(const ConfigDict& xp, std::string& override) {
  const auto path = parts_of(override);
  const std::size_t at = !path.empty() && path[0] == "jobs" ? 2 : 0;
  if (path.size() < at + 3 || (path[at] != "args" && path[at] != "files")) return;
  if (override.find_first_of("['\"") != override.npos) return;
  const auto there = map_at(xp, std::span(path).first(at + 1));
  if (there && there->contains(path[at + 1])) return;
  const std::string before = base::join(std::span(path).first(at + 1), ".");
  override = before + "['" + override.substr(before.size() + 1) + "']";
}

}  // namespace

std::vector<std::string> experiment_names() {
  return {"kd_base", kRunExperiment, "kd_single", "single"};
}

ConfigDict load_experiment(flags::ConfigFlag flag, std::vector<std::string>& args) {
  if (flag.source.empty()) flag.source = kDefaultExperiment;
  ConfigDict xp = load(flag, args);
  if (xp.qualname() != "kauldron.kxm:Experiment") {
    throw Error(ErrorKind::type, "--xp=" + flag.source + ": it is no experiment but " +
                                     (xp.qualname().empty() ? "a plain config" : xp.qualname()) +
                                     "; as data it has \"__qualname__\": "
                                     "\"kauldron.kxm:Experiment\", and a config to train is given "
                                     "with --cfg=");
  }
  name_executor(xp, flag);
  for (auto& given : flag.overrides) {
    name_job(xp, parts_of(given.path));
    name_whole(xp, given.path);
  }
  flags::apply_overrides(xp, flag, args);
  return xp;
}

}  // namespace kxm
