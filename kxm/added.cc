#include <cstdlib>
#include <set>

#include "konfig/error.h"
#include "kxm/added_impl.h"
#include "kxm/environment_impl.h"
#include "kxm/launch.h"
#include "kxm/text_impl.h"

namespace kxm {
namespace {

using konfig::Error;
using konfig::ErrorKind;

// It starts them with the environment of its own.
void check_secrets(const Plan& plan, const Launcher& launcher) {
  std::set<std::string> secrets;
  for (const PlannedUnit& unit : plan.units) {
    for (const PlannedJob& job : unit.jobs) {
      secrets.insert(job.secrets.begin(), job.secrets.end());
    }
  }
  if (secrets.empty() || launcher.host != host()) return;
  const auto theirs = environment_of(launcher.pid);
  if (!theirs) return;
  for (const std::string& name : secrets) {
    const char* mine = std::getenv(name.c_str());
    const auto found = theirs->find(name);
    if (found != theirs->end() && (!mine || found->second == mine)) continue;
    const std::string xid = std::to_string(plan.xid);
    throw Error(ErrorKind::value,
                "xp.secrets: " + to_text(launcher) + " runs experiment " + xid +
                    (found == theirs->end() ? " without the environment variable "
                                            : " with another value of the environment variable ") +
                    name + "; add the units once it has ended, or end it first: `kd stop " + xid +
                    "`");
  }
}

}  // namespace

void check_added(const State& state, const Plan& plan, std::string_view executor) {
  const auto experiment = state.experiment(plan.xid);
  if (!experiment) return;
  const std::string xid = std::to_string(plan.xid);
  if (experiment->executor != executor) {
    throw Error(ErrorKind::value, "experiment " + xid + " runs on '" + experiment->executor +
                                      "', and its new units cannot run on '" +
                                      std::string(executor) + "'; launch a new experiment there");
  }
  const auto launcher = launcher_of(*experiment);
  if (!launcher) return;
  check_secrets(plan, *launcher);
  if (!plan.steering) return;
  throw Error(ErrorKind::value, "xp.orchestrator: " + to_text(*launcher) + " runs experiment " +
                                    xid +
                                    " and asks only its own; add the units once it has ended");
}

}  // namespace kxm
