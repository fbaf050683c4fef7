// From an experiment to a recorded one: planned, its programs built, its files and programs kept,
// every unit in the state. Nothing is started yet: that is kxm/launch.h.
#pragma once

#include <functional>
#include <string>

#include "konfig/config_dict.h"
#include "konfig/error.h"
#include "kxm/make_plan.h"
#include "kxm/state.h"

namespace kxm {

struct SubmitOptions {
  PlanContext context = {};          // `xid` and what is there already are filled in
  std::string experiment_file = {};  // --xp=FILE: kept where `kd resume` needs its types
  std::string executor = "local";    // the name that is recorded
  // Asked once the plan is known and before anything is written; false: nothing happens.
  std::function<bool(const Plan& plan)> go_on = {};
};

// A target "//dir:name" that the project does not have, or that does not build.
class NotBuilt : public konfig::Error {
 public:
  explicit NotBuilt(const konfig::Error& why) : Error(why) {}
};

// The plan as recorded. With `xid` in the experiment its units are added to that one. An Error
// leaves nothing behind but, at most, kept files; NotBuilt comes before a number is used.
Plan submit(State& state, const konfig::ConfigDict& experiment, const SubmitOptions& options);

// The plan that submit would record now, with the number the experiment would get and the paths of
// the copies it would keep. Targets that are still to be built, "//dir:name", stay as they are.
Plan preview(const State& state, const konfig::ConfigDict& experiment,
             const SubmitOptions& options);

}  // namespace kxm
