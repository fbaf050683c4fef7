// What an experiment was launched with, where its plan is not enough to go on: an executor of one's
// own, or an orchestrator that looks at results. Kept beside the results, for `kd resume`.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "konfig/config_dict.h"
#include "kxm/executor.h"
#include "kxm/make_plan.h"
#include "kxm/orchestrator.h"
#include "kxm/state.h"

namespace kxm {

inline constexpr const char* kRelaunch = "relaunch.json";  // in the experiment's home

struct Relaunch {
  konfig::ConfigDict experiment;
  std::string experiment_file = {};  // the kept --xp=FILE, which may define types; "": none
  ConfigProvider config = {};        // the kept --cfg=; without a source: none
  std::map<std::string, std::string> kept = {};      // files: from names to paths
  std::map<std::string, std::string> programs = {};  // from those of the plan to kept ones
  std::string kd = {}, cwd = {}, launch_dir = {};
  int planned = 0;  // units of the first plan
};

// Those that `steering` adds run the kept programs.
std::shared_ptr<Steering> with_programs(std::shared_ptr<Steering> steering,
                                        std::map<std::string, std::string> programs);

// The content of kRelaunch.
std::string relaunch_json(const Relaunch& relaunch);

// What goes on with an experiment; both empty where the plan is enough.
struct Resumed {
  std::shared_ptr<Steering> steering = {};
  konfig::Poly<Executor> executor = {};
};
Resumed read_relaunch(const State& state, int xid);

}  // namespace kxm
