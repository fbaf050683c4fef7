// xp.launch(): submitted and run, without a program around it.
#include "konfig/error.h"
#include "konfig/lower.h"
#include "kxm/experiment.h"
#include "kxm/launch.h"
#include "kxm/local.h"
#include "kxm/submit.h"

namespace kxm {

int Experiment::launch() const {
  State state(state_folder());
  const Plan plan = submit(state, konfig::lower(*this), {});
  const Local local;
  RunOptions options;
  if (plan.steering) options.steer = [&](auto& progress) { return plan.steering->step(progress); };
  const RunResult result = run(
      state, plan.xid, plan.executor ? ExecutorRef(plan.executor) : ExecutorRef(local), options);
  const int failed = result.units[JobState::failed];
  if (failed > 0) {
    const std::string xid = std::to_string(plan.xid);
    throw konfig::Error(konfig::ErrorKind::value, "experiment " + xid + ": " +
                                                      std::to_string(failed) + " of " +
                                                      std::to_string(result.units.total()) +
                                                      " units failed; see `kd status " + xid + "`");
  }
  return plan.xid;
}

}  // namespace kxm
