// kd launch: runs an experiment, one job or ten thousand.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <sstream>

#include "base/fill_template.h"
#include "base/join.h"
#include "cli/ask.h"
#include "cli/config_fields.h"
#include "cli/errors.h"
#include "cli/format.h"
#include "cli/launch.h"
#include "cli/launch_flags.h"
#include "cli/launch_place.h"
#include "cli/launch_view.h"
#include "cli/launched_run.h"
#include "cli/output.h"
#include "cli/reference_flags.h"
#include "cli/refusal.h"
#include "cli/shown.h"
#include "cli/sweep_flags.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "cli/try_command.h"
#include "cli/verb.h"
#include "cli/whole_number.h"
#include "flags/config_args.h"
#include "kd/engine/options.h"
#include "konfig/docs.h"
#include "konfig/json.h"
#include "kxm/argv.h"
#include "kxm/damaged.h"
#include "kxm/experiments.h"
#include "kxm/find_run.h"
#include "kxm/kxm.h"
#include "kxm/launch.h"
#include "kxm/local.h"
#include "kxm/requirements.h"
#include "kxm/settings.h"
#include "kxm/submit.h"

namespace cli {
namespace {

namespace fs = std::filesystem;
using konfig::ConfigDict;
using konfig::Value;

constexpr std::size_t kAsksAbove = 100;

struct LaunchOptions {
  flags::ConfigFlag xp = {}, patch = {};
  bool names_experiment = false;  // --xp= is given
  std::vector<SweptPath> swept = {};
  bool zip = false, dry_run = false, yes = false, detach = false, quiet = false;
  std::string on = "";
  Format format = Format::text;
  std::string threads = "", device = "";
  std::optional<RunWords> run = {};  // of --xp=kd_run: what `kd run` takes
};

// --xp= stands before its overrides, wherever it was typed.
void name_experiment_first(std::vector<std::string>& args) {
  const auto is_override = [](const std::string& arg) {
    return arg.starts_with("--xp.") || arg.starts_with("--noxp.");
  };
  const auto first = std::ranges::find_if(args, is_override);
  const auto named = std::find_if(first, args.end(),
                                  [](const std::string& arg) { return arg.starts_with("--xp="); });
  if (named != args.end()) std::rotate(first, named, named + 1);
}

void take_flags(std::vector<std::string>& args, LaunchOptions& o) {
  drop_reference_flags(args);
  name_experiment_first(args);
  o.swept = take_sweep_flags(args);
  o.patch = take_flag(args, "patch", "patch");
  o.names_experiment = std::ranges::any_of(
      args, [](const std::string& arg) { return arg == "--xp" || arg.starts_with("--xp="); });
  o.xp = take_flag(args, "xp", kxm::kDefaultExperiment);
  if (o.xp.source == kxm::kRunExperiment) o.run = take_launched_run(args, o.swept);
}

// What `kd train` takes beside the config goes to the jobs.
void pass_on(ConfigDict& xp, const std::string& name, const Value& value) {
  const auto guard = xp.ignore_type();
  if (xp.get("args", Value()).is_none()) xp.set("args", konfig::Dict());
  xp["args"].as<ConfigDict>().set(name, value);
}

ConfigDict experiment_of(const LaunchOptions& o) {
  std::vector<std::string> rest;
  ConfigDict xp = kxm::load_experiment(o.xp, rest);
  for (auto& patch : o.patch.overrides) pass_on(xp, "patch." + patch.path, patch.text);
  if (!o.threads.empty()) pass_on(xp, "threads", o.threads);
  if (!o.device.empty()) {
    kd::engine::check_device(o.device);
    pass_on(xp, "device", o.device);
  }
  if (o.run) pass_on_run(xp, *o.run);
  return xp;
}

// What the command line gives to all units, by key.
std::map<std::string, std::string> typed_keys(const Session& session, const LaunchOptions& o) {
  std::map<std::string, std::string> out;
  constexpr std::string_view kArgs = "args.";
  for (auto& given : o.xp.overrides) {
    if (!given.path.starts_with(kArgs)) continue;
    out[given.path.substr(kArgs.size())] = "--xp." + given.path;
  }
  for (auto& given : o.patch.overrides) out["patch." + given.path] = "--patch." + given.path;
  if (!o.threads.empty()) out["threads"] = "--threads";
  if (!o.device.empty()) out["device"] = "--device";
  if (session.has_config()) {
    const flags::ConfigFlag& flag = session.flag();
    for (auto& arg : flags::parse_config_args(flag.args)) {
      out["cfg.__args__." + arg.name] = "--cfg=" + flag.source + ":" + flag.args;
    }
    for (auto& arg : flags::config_args(flag)) {
      out["cfg.__args__." + arg.name] = "--cfg.__args__." + arg.name;
    }
    for (auto& given : flag.overrides) out["cfg." + given.path] = "--cfg." + given.path;
  }
  if (o.run) {
    for (auto& name : typed_flags(*o.run)) out[name] = "--" + name;
  }
  return out;
}

// The config. A list for a field that takes one value was probably meant as a sweep.
const ConfigDict& config_of(Session& session) {
  try {
    return session.config();
  } catch (const konfig::Error& e) {
    for (auto& given : session.flag().overrides) {
      const std::string setting = given.path + "=" + given.text;
      if (e.kind() == konfig::ErrorKind::type && given.text.starts_with('[') &&
          std::string_view(e.what()).starts_with("--cfg." + setting + ":")) {
        throw e.with(", or run a unit for each value: --sweep." + setting);
      }
    }
    throw;
  }
}

kxm::LoadedConfig loaded(Session& session) {
  const flags::ConfigFlag& flag = session.flag();
  const ConfigDict& config = config_of(session);
  kxm::ConfigProvider from{.source = flag.source, .config_parameter = flag.args};
  for (auto& [path, value] : flags::override_values(flag)) {
    auto* folder = path == "workdir" ? value.get_if<std::string>() : nullptr;
    from.overrides.set(path, folder ? Value(kxm::find_run_or_new(*folder)) : value);
  }
  for (auto& arg : flag.config_args) from.overrides.set("__args__." + arg.path, arg.value);
  return {.from = from, .config = config};
}

void print_dry_run(const kxm::Plan& plan, const std::string& on, Format format) {
  if (format == Format::json) return print(konfig::to_json(plan_dict(plan), {.indent = 2}) + "\n");
  const bool adds = !plan.units.empty() && plan.units.front().wid > 1;
  print(shown(plan.title) + ": " + std::to_string(plan.units.size()) +
        (plan.units.size() == 1 ? " unit" : " units") +
        (adds ? ", added to experiment " : ", would be experiment ") + std::to_string(plan.xid) +
        " on " + place_text(on) + "\n");
  for (const kxm::PlannedUnit& unit : plan.units) {
    const std::string args = args_text(unit.args);
    print("\n" + ink_out(Ink::bold, std::to_string(plan.xid) + "/" + std::to_string(unit.wid)) +
          (args.empty() ? "" : "  " + args) + "\n");
    if (!unit.dir.empty()) print("  folder: " + shown(unit.dir) + "\n");
    for (const kxm::PlannedJob& job : unit.jobs) {
      std::vector<std::string> line;
      for (auto& [name, value] : job.env) line.push_back(name + "=" + value);
      line.insert(line.end(), job.argv.begin(), job.argv.end());
      const std::string after =
          job.after.empty() ? "" : " (after " + shown(base::join(job.after, ", ")) + ")";
      print("  " + shown(job.name) + after + ": " + kxm::shell_line(line) + "\n");
      const std::string needs = kxm::needs_text(job.resources);
      if (!needs.empty()) print("    needs " + shown(needs) + "\n");
    }
  }
}

// More units than one would start by mistake.
bool wants_so_many(const kxm::Plan& plan, const LaunchOptions& o) {
  if (plan.units.size() <= kAsksAbove || o.yes) return true;
  return agreed("launch " + std::to_string(plan.units.size()) + " units of " + shown(plan.title));
}

// Refuses the first of these jobs that could never run, with the unit that it is of.
void name_unit(const kxm::ExecutorRef& executor, std::span<const kxm::PlannedJob> jobs,
               const std::vector<const kxm::PlannedUnit*>& units) {
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    try {
      executor.check(jobs.subspan(i, 1));
    } catch (const konfig::Error& e) {
      throw Refusal("unit " + std::to_string(units[i]->wid) + " (" + args_text(units[i]->args) +
                    "): " + e.what());
    }
  }
}

// What could never run is refused before anything is recorded.
void check_plan(const kxm::Plan& plan, const LaunchOptions& o) {
  if (plan.units.empty()) throw UsageError("the sweep has no points, so that nothing would run");
  std::vector<kxm::PlannedJob> different;
  std::vector<const kxm::PlannedUnit*> units;  // where these are first
  for (const kxm::PlannedUnit& unit : plan.units) {
    for (const kxm::PlannedJob& job : unit.jobs) {
      const bool known = std::ranges::any_of(different, [&](const kxm::PlannedJob& other) {
        return other.name == job.name && other.resources == job.resources;
      });
      if (known) continue;
      different.push_back(job);
      units.push_back(&unit);
    }
  }
  kxm::require_secrets(different.front().secrets);
  if (o.run) check_launched_run(*o.run, plan);
  const kxm::Local local;
  const kxm::ExecutorRef executor =
      plan.executor ? kxm::ExecutorRef(plan.executor) : kxm::ExecutorRef(local);
  try {
    executor.check(different);
  } catch (const konfig::Error&) {
    if (plan.units.size() > 1) name_unit(executor, different, units);
    throw;
  }
}

void show_warnings(const kxm::Plan& plan, const kxm::Settings& settings, const std::string& on) {
  for (auto& warning : plan.warnings) remark("warning: " + shown(warning));
  if (on == kLocal && plan.cell && !settings.places.contains(*plan.cell)) {
    remark("cell '" + *plan.cell +
           "': launch.yaml has no such place; the jobs run on this machine");
  }
}

// Of an experiment that is a file; "" for a name.
std::string folder_of(const std::string& source) {
  const fs::path file = fs::absolute(source);
  return fs::is_regular_file(file) ? file.parent_path().string() : "";
}

// A line every few seconds, where it takes so long.
std::function<void(int, int)> loading_shower() {
  static constexpr std::chrono::seconds kPause(3);
  return [last = std::chrono::steady_clock::now()](int done, int all) mutable {
    const auto now = std::chrono::steady_clock::now();
    if (now - last < kPause) return;
    last = now;
    remark("trying the config with the arguments of each unit: " + std::to_string(done) + " of " +
           std::to_string(all));
  };
}

// "{optimizer.learning_rate}" is the value that the config has there.
std::string filled_note(const std::string& text, const ConfigDict& cfg) {
  return base::fill_template(text, [&](std::string_view path) {
    if (path.starts_with("cfg.")) path.remove_prefix(4);
    try {
      return raw_text(part_of(cfg, std::string(path)));
    } catch (const konfig::Error& e) {
      throw konfig::Error(e.kind(), "setup.note_template", e.what());
    }
  });
}

// Those of a list, or of a text with commas between them.
void add_texts(konfig::List& to, const Value& from) {
  if (auto* list = from.get_if<konfig::List>()) {
    for (auto& item : *list) to.push_back(item);
  } else if (auto* text = from.get_if<std::string>()) {
    std::istringstream parts(*text);
    for (std::string part; std::getline(parts, part, ',');) to.push_back(part);
  }
}

// Tags and note of the trainer's setup, for the experiment.
void take_setup(ConfigDict& xp, const ConfigDict& cfg) {
  const Value value = cfg.get("setup", Value());
  auto* setup = value.get_if<ConfigDict>();
  if (!setup) return;
  const auto guard = xp.ignore_type();
  if (const Value tags = setup->get("tags", Value()); !tags.is_none()) {
    konfig::List all;
    add_texts(all, xp.get("tags", Value()));
    add_texts(all, tags);
    xp.set("tags", all);
  }
  const Value note = setup->get("note_template", Value());
  if (auto* text = note.get_if<std::string>(); text && xp.get("note", Value()).is_none()) {
    xp.set("note", filled_note(*text, cfg));
  }
}

// What is known before anything is written.
struct Prepared {
  ConfigDict xp;
  std::optional<kxm::LoadedConfig> config = {};
  std::string on = {};
  kxm::Settings settings = {};
  SweptFiles swept_files = {};
};

Prepared prepare(Session& session, const LaunchOptions& o) {
  Prepared out{.xp = experiment_of(o), .settings = kxm::read_settings()};
  if (o.run) out.swept_files = keep_swept(out.xp, o.swept);
  if (session.has_config()) {
    out.config = loaded(session);
    take_setup(out.xp, session.config());
  }
  out.on = place_of(o.on, out.xp, out.config ? &out.config->config : nullptr);
  if (o.on == kLocal) use_local(out.xp);
  if (out.on == kSlurm) use_slurm(out.xp, out.settings);
  return out;
}

// Runs `plan`, whose errors are those of what is to be launched.
template <class Plan>
auto or_refuse(const Plan& plan) {
  try {
    return plan();
  } catch (const konfig::Error& e) {
    throw Refusal(error_text(e));
  }
}

int launch(Session& session, const LaunchOptions& o) {
  if (!session.has_config() && !o.names_experiment) {
    throw UsageError("what is to be launched? A config: --cfg=..., or an experiment: --xp=...");
  }
  if (o.zip && o.swept.size() < 2) {
    throw UsageError("--zip pairs the values of several --sweep.PATH=[...], and there " +
                     std::string(o.swept.empty() ? "is none" : "is only one"));
  }
  const Prepared prepared = or_refuse([&] { return prepare(session, o); });
  const std::string& on = prepared.on;
  const auto folder = kxm::state_folder();
  kxm::SubmitOptions submit{.context = {.config = prepared.config ? &*prepared.config : nullptr,
                                        .sweep = points_of(o.swept, o.zip),
                                        .swept_files = prepared.swept_files,
                                        .typed = typed_keys(session, o),
                                        .kd = fs::read_symlink("/proc/self/exe").string(),
                                        .launch_dir = folder_of(o.xp.source),
                                        .platforms = prepared.settings.platforms,
                                        .try_command = command_trier(),
                                        .on_load = loading_shower()},
                            .experiment_file = loader::is_cc_file(o.xp.source) ? o.xp.source : "",
                            .executor = on};
  if (o.dry_run) {
    const auto state = or_refuse([&] { return kxm::State(folder, kxm::State::Open::read); });
    const kxm::Plan plan = or_refuse([&] { return kxm::preview(state, prepared.xp, submit); });
    show_warnings(plan, prepared.settings, on);
    or_refuse([&] { check_plan(plan, o); });
    print_dry_run(plan, on, o.format);
    return kFine;
  }
  bool agreed = false, planned = false;
  submit.go_on = [&](const kxm::Plan& plan) {
    planned = true;
    show_warnings(plan, prepared.settings, on);
    or_refuse([&] { check_plan(plan, o); });
    return agreed = wants_so_many(plan, o);
  };
  auto state = or_refuse([&] { return kxm::State(folder); });
  const kxm::Plan plan = [&] {
    try {
      return kxm::submit(state, prepared.xp, submit);
    } catch (const kxm::NotBuilt& e) {
      throw Refusal(error_text(e));
    } catch (const konfig::Error& e) {
      if (planned) throw;  // it cannot be recorded
      throw Refusal(error_text(e));
    }
  }();
  for (auto& damaged : kxm::damaged_texts(state)) remark("warning: " + shown(damaged));
  if (!agreed) {
    remark("nothing was launched");
    return kUsage;
  }
  remark("experiment " + std::to_string(plan.xid) + " on " + place_text(on) + ": " +
         shown(plan.title) + ", " + std::to_string(plan.units.size()) +
         (plan.units.size() == 1 ? " unit" : " units") +
         (plan.dir.empty() ? "" : ", in " + shown(plan.dir)));
  return run_launched(state, plan.xid,
                      {.detach = o.detach,
                       .logs = !o.quiet,
                       .json = o.format == Format::json,
                       .tensorboard = plan.tensorboard,
                       .steering = plan.steering,
                       .executor = plan.executor});
}

std::string fields_help(const LaunchOptions&) {
  const konfig::Type& type = konfig::type_of<kxm::Experiment>();
  Table table;
  for (const konfig::Field& field : type.fields) {
    table.add({"--xp." + std::string(field.name), type_text(field.type()),
               std::string(konfig::field_doc(type, field.name))});
  }
  return "\nFields of the experiment:\n" + table.text();
}

std::vector<Candidate> places(const Typing&) {
  return {{"local", "this machine"}, {"slurm", "a cluster"}};
}

const AddVerb<LaunchOptions> verb = {{
    .name = "launch",
    .place = 35,
    .summary = "Run an experiment: one job, a sweep, or many programs",
    .help = R"(
The experiment:
  --xp=SOURCE             a name (kd_base, the default: the jobs of --cfg=; kd_run:
                          `kd run` with its flags; single: one program), or a file:
                          .cc, .py, .json, .yaml
  --xp.PATH=VALUE         a field of it; they are listed below
  --sweep.PATH=[1,2,3]    a unit for each value: of a field of the config, or of an
                          argument of another program; several: every combination

What `kd train` takes works here.

The jobs outlive this command: Ctrl-C lets them save and stop, twice kills them, a
closed terminal or --detach leaves them running. `kd resume N` goes on.
Exit codes: 0 all finished, 1 some failed, 2 refused before anything was started,
130 or 143 stopped.

Examples:
  kd launch --cfg=mnist_autoencoder --sweep.seed=[1,2,3]
  kd launch --cfg=my_config.py --xp.sweep=lr --xp.max_parallel=2
  kd launch --xp=kd_run --cfg_file=exp.yaml --sweep.problem.weight_decay=[0.1,0.2]
  kd launch --xp=single --xp.target=./train.sh --sweep.lr=[0.1,0.2] --dry_run)",
    .more_help = fields_help,
    .explains_config = true,
    .help_shows_config = true,
    .complete = complete_launch,
    .meant = [](const std::string& flag, bool has_config,
                const LaunchOptions&) { return meant_at_launch(flag, has_config); },
    .options =
        [](Options& add, LaunchOptions& o) {
          add.flag("--zip", o.zip, "Pairs the values of several --sweep.PATH=[...]");
          add.flag("--dry_run", o.dry_run, "Prints every unit, folder and command; writes nothing");
          add.choice("--format", o.format, "The notation of --dry_run, or of the summary");
          add.value("--on", o.on, "PLACE",
                    "local: this machine; slurm: a cluster, the default where it is set up",
                    places);
          add.flag("--yes", o.yes, "Does not ask before more than 100 units");
          add.flag("--detach", o.detach, "Goes on in the background");
          add.flag("--quiet", o.quiet, "Does not show what the jobs print");
          add.value("--threads", o.threads, "N", "Passed on to the jobs")->check(at_least(1));
          add.value("--device", o.device, "DEVICE", "Passed on to the jobs");
        },
    .prepare = take_flags,
    .run = launch,
}};

}  // namespace
}  // namespace cli
