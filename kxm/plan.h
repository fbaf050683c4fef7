// What a launch comes to: every unit with its folder, every job with its command line. A plan is
// plain data, made before anything is written or started; `kd launch --dry_run` prints it.
//
//   Plan plan = make_plan(experiment, {.xid = 17});
//   for (const PlannedUnit& unit : plan.units) std::cout << unit.dir << "\n";
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "konfig/poly.h"
#include "konfig/value.h"

namespace kxm {

// What a job takes of where it runs. Nothing given: it shares what is there.
struct Resources {
  double cpus = 0;
  std::int64_t memory = 0;  // bytes
  int gpus = 0;
  std::string gpu_type = {};  // "a100"; "": any
  int replicas = 1;
  std::int64_t seconds = 0;    // its time limit; 0: none
  std::string place = {};      // of the settings file; "": the executor's usual one
  std::string container = {};  // an image that it runs in; "": none

  bool operator==(const Resources&) const = default;
};

// When a job starts and when it counts as finished.
enum class Role {
  program,   // any program: it has finished when it exits with 0
  train,     // it has finished when train_complete.txt is in the unit's folder, too
  evaluate,  // it waits for what the training job of its unit writes
};

// "__kxm_port__(xprof)" anywhere in an argument: the number of a free port, chosen when and where
// the job starts.
inline constexpr std::string_view kPortProxy = "__kxm_port__(";

struct PlannedJob {
  std::string name;                             // "train"; unique in its unit
  std::vector<std::string> argv;                // the program first; exactly what it gets
  std::map<std::string, std::string> env = {};  // beyond the environment of the launcher
  std::vector<std::string> secrets = {};        // variables passed on by name and never stored
  Resources resources = {};
  Role role = Role::program;
  std::vector<std::string> after = {};  // jobs of the same unit that have to finish first

  bool operator==(const PlannedJob&) const = default;
};

// One point of a sweep: the jobs that belong together.
struct PlannedUnit {
  int wid = 0;           // from 1
  std::string identity;  // "sweep_0": the same point is never added twice
  konfig::Dict args;     // what was swept, as people read it
  std::string dir;       // its folder, absolute; "" when no job asks for one
  std::vector<PlannedJob> jobs;
};

// Whether one of its jobs is a training.
inline bool trains(const PlannedUnit& unit) {
  for (const PlannedJob& job : unit.jobs) {
    if (job.role == Role::train) return true;
  }
  return false;
}

// A file that later edits must not change: jobs read the copy.
struct KeptFile {
  std::string name;    // "config.py": what jobs call it
  std::string source;  // where it is now, absolute; "" when `content` is all there is
  std::optional<std::string> content = {};  // of what is no file: a config from standard input
  std::string path = {};                    // where jobs find the copy
};

class Executor;  // kxm/executor.h
class Steering;  // kxm/orchestrator.h

struct Plan {
  int xid = 0;
  std::string title;
  std::string author;
  std::string note;
  std::vector<std::string> tags = {};
  std::string dir;       // the experiment's folder, absolute; "" when there is none
  std::string cwd = {};  // where jobs start, absolute; "": where the launcher was started
  std::vector<KeptFile> files = {};
  // By title: "kxm.Experiment", "Jobs", ...; kept beside the results.
  std::vector<std::pair<std::string, std::string>> texts = {};
  std::vector<PlannedUnit> units = {};
  // The resolved parameters of each job, by name, as the experiment and its config give them.
  std::vector<std::pair<std::string, konfig::Dict>> jobs = {};
  std::vector<std::string> targets = {};   // "//dir:name": to be built before anything is started
  std::vector<std::string> programs = {};  // what the jobs run: argv[0], and scripts behind it
  std::vector<std::string> warnings = {};  // for people
  bool tensorboard = false;                // is to run on `dir`
  konfig::Poly<Executor> executor = {};    // empty: none was given
  std::optional<std::string> executor_name = {};  // as in --on=: xp.executor="local"
  std::optional<std::string> cell = {};           // the place that the first job asks for
  // Looks at results while the experiment runs; empty: nothing to look at (kxm/orchestrator.h).
  std::shared_ptr<Steering> steering = {};

  int max_parallel = 0;  // units at a time; 0: as many as fit
  int retries = 0;       // of a job that failed
  bool fail_fast = false;
};

}  // namespace kxm
