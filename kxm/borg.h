// XManager's options that have a meaning inside Google only. They are accepted, so that a config
// written there works here; what was given is remarked on.
#pragma once

#include <span>
#include <vector>

#include "konfig/component.h"
#include "konfig/fields.h"
#include "konfig/value.h"
#include "kxm/executor.h"

namespace kxm {

struct BorgScheduling {
  konfig::Value max_task_failures = {};           // accepted, not used: see xp.retries
  konfig::Value max_per_task_failures = {};       // accepted, not used: see xp.retries
  konfig::Value task_failure_credit_period = {};  // accepted, not used
  konfig::Kwargs<konfig::Value> others = {};      // accepted, not used
};
struct AutopilotParams {
  konfig::Value enabled = {};                 // accepted, not used
  konfig::Kwargs<konfig::Value> others = {};  // accepted, not used
};
struct BorgletParams {
  konfig::Kwargs<konfig::Value> others = {};  // accepted, not used
};

// The executor that every job of the reference starts with. As long as it is empty it counts as not
// given.
struct Borg {
  konfig::Value use_auto_host_resources = {};  // accepted, not used
  konfig::Value requirements = {};             // accepted, not used: see requirements of the job
  konfig::Value logs_read_access_roles = {};   // accepted, not used
  konfig::Value autopilot_params = {};         // accepted, not used
  konfig::Value scheduling = {};               // accepted, not used: see xp.retries
  konfig::Value borglet_params = {};           // accepted, not used
  konfig::Kwargs<konfig::Value> others = {};   // accepted, not used

  // An Error that says what to use instead.
  std::vector<bool> submit(std::span<const Attempt> attempts) const;
  std::vector<Seen> poll(std::span<const Attempt> attempts) const;
  void stop(std::span<const Attempt> attempts, Stop how) const;
};

struct ExecutionSettings {
  konfig::Kwargs<konfig::Value> others = {};  // accepted, not used
};

}  // namespace kxm

KONFIG_TYPE(kxm::BorgScheduling, "xmanager.xm_abc:BorgScheduling");
KONFIG_TYPE(kxm::AutopilotParams, "xmanager.xm_abc:AutopilotParams");
KONFIG_TYPE(kxm::BorgletParams, "xmanager.xm_abc:BorgletParams");
KONFIG_TYPE(kxm::ExecutionSettings, "xmanager.xm_abc:ExecutionSettings");
KONFIG_COMPONENT(kxm::Executor, kxm::Borg, "xmanager.xm_abc:Borg");
