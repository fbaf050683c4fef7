// make_plan: from an experiment to every folder and command line, with nothing written or started.
//
//   LoadedConfig cfg = load_config({.source = "mnist_autoencoder"});
//   Plan plan = make_plan(experiment, {.xid = 17, .config = &cfg});
//   std::cout << plan.warnings.size() << konfig::to_json(plan_dict(plan));
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "konfig/value.h"
#include "kxm/config_provider.h"
#include "kxm/experiment.h"
#include "kxm/plan.h"

namespace kxm {

struct Address;  // kxm/address.h

// How arguments are written.
enum class Dialect {
  program,   // exactly what programs get
  xmanager,  // XManager's: shell-quoted, with `%%`, port markers and JAX flags; for comparison
};

struct PlanContext {
  int xid = 1;
  std::string author = "";               // default: the user's name
  const LoadedConfig* config = nullptr;  // that of --cfg=; default: the experiment's cfg_provider
  // --sweep.PATH=[...]: further points, combined with those of the experiment's own sweep. Keys are
  // config paths where the jobs are those of a config, else arguments.
  std::vector<konfig::Dict> sweep = {};
  // Of an argument that sweeps files: by its key, the names in the experiment's files.
  std::map<std::string, std::map<std::string, std::string>> swept_files = {};
  // Arguments of all units that were typed beside --sweep., by key, with their flags: sweeping one
  // of them, too, is an Error.
  std::map<std::string, std::string> typed = {};

  // Whether the experiment begins: it never gets a folder that is there already. `xid` is then the
  // least number it may get; a fixed folder with results of an earlier one is an Error.
  bool begins = false;

  // Of an experiment that gets further units.
  int existing_units = 0;
  std::optional<std::string> existing_title = {};
  std::string existing_dir = {};                        // its folder; "": it has none
  std::vector<std::string> existing_dirs = {};          // folders of its units
  int existing_max_parallel = 0, existing_retries = 0;  // unless others are given
  bool existing_fail_fast = false;

  std::string kd = "kd";        // the program that jobs without a target run
  std::string cwd = "";         // relative paths start here; default: the working directory
  std::string launch_dir = "";  // the folder of the --xp= file: targets and files may be there, too
  std::map<std::string, std::string> platforms = {};  // names of the settings file: "big": "a100=8"
  // Where the kept copy of a file will be; default: <experiment's folder>/.kxm/files/NAME.
  std::function<std::string(const KeptFile&)> kept_path = {};
  // The folder of what was launched. Jobs never open the state: a config that names a run by its
  // number (aux.xid) gets the folder. Default: the number stays.
  std::function<std::string(const Address&)> run_folder = {};
  // Which unit has this folder, "17/3", or "": a second one in it is an Error. Default: none has.
  std::function<std::string(const std::string& dir)> owner = {};
  Dialect dialect = Dialect::program;
  // Tries what the sweep sets in the config; a wrong path is an Error that names the unit.
  bool try_overrides = true;
  // Tries the command line of a job that runs `kd` for this config; an Error says why it would be
  // refused. Default: none is tried.
  std::function<void(const std::vector<std::string>& argv, const konfig::ConfigDict& config)>
      try_command = {};
  // Hears how many of how many configs are loaded, where a sweep has many arguments of get_config.
  std::function<void(int done, int all)> on_load = {};
};

// An Error names the field, the unit or the job, and what to do.
Plan make_plan(const konfig::ConfigDict& experiment, const PlanContext& context = {});
Plan make_plan(const Experiment& experiment, const PlanContext& context = {});

// Puts real programs in place of targets such as "//dir:name", and kept copies in place of
// programs and scripts; the keys are those of Plan::programs.
void use_programs(Plan& plan, const std::map<std::string, std::string>& programs);

// The script of a target with `use_interpreter`: "//a/b:c" to "//a/b/c.py".
std::string script_path(const std::string& target);

// The plan in the form of `--dry_run --format=json`: "jobs", and "experiment" with its "units".
konfig::Dict plan_dict(const Plan& plan);

}  // namespace kxm
