// One program of a unit, and groups of them.
//
//   Job{.target = "./train.sh", .platform = "a100=1", .args = {{"workdir", WU_DIR_PROXY}}}
#pragma once

#include <optional>
#include <string>

#include "konfig/implement.h"
#include "kxm/job_params.h"

namespace kxm {

// What may stand in `jobs`: a Job or a JobGroup.
class AnyJob {};

// One program of a unit: what is started, with which arguments, and what it needs.
struct Job {
  static constexpr auto& konfig_raw_fields = kRawJobFields;

  KXM_JOB_PARAMS(KXM_FIELD);
  std::optional<std::string> name = {};  // default: the key in `jobs`
};

// Jobs that belong together; each is called after the keys that lead to it: "group_job".
struct JobGroup {
  konfig::Kwargs<konfig::Poly<AnyJob>> jobs = {};  // by name; a group may hold groups
};

}  // namespace kxm

KONFIG_COMPONENT(kxm::AnyJob, kxm::Job, "kauldron.kxm:Job", "kauldron.kxm:JobParams");
KONFIG_COMPONENT(kxm::AnyJob, kxm::JobGroup, "xmanager.xm:JobGroup", "kauldron.kxm:JobGroup");
