// Running what was submitted, with a view of it: what `kd launch` and `kd resume 17` share.
#pragma once

#include <memory>
#include <optional>

#include "kxm/executor.h"
#include "kxm/orchestrator.h"
#include "kxm/state.h"

namespace cli {

struct RunLaunch {
  bool again = false;           // also what failed or was stopped
  std::optional<int> wid = {};  // only this unit
  bool detach = false;          // goes on in the background
  bool logs = true;             // shows what jobs print
  bool json = false;            // the summary, as `kd status 17[/3] --format=json` prints it
  bool tensorboard = false;     // runs TensorBoard on the experiment's folder meanwhile
  std::shared_ptr<kxm::Steering> steering = {};  // adds and stops units as results come
  konfig::Poly<kxm::Executor> executor = {};     // empty: that of the name it was recorded with
};

// Until all is done, or on Ctrl-C until all has stopped; a closed terminal goes on without one.
// Returns the exit code: 0 all finished, 1 some failed, 130 or 143 stopped.
int run_launched(kxm::State& state, int xid, const RunLaunch& how);

}  // namespace cli
