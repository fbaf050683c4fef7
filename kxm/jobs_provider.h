// Where the jobs of an experiment come from, beside those of `jobs`.
//
// One of your own is a struct in your file.cc and a line:
//
//   struct Servers {
//     int count = 2;
//     kxm::ProvidedJobs jobs(const kxm::JobsContext&) const;
//   };
//   KXM_COMPONENT(kxm::JobsProvider, Servers);
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "konfig/component.h"
#include "konfig/value.h"
#include "kxm/config_provider.h"
#include "kxm/plan.h"

namespace kxm {

struct ProvidedJob {
  std::string name;
  konfig::ConfigDict job;     // a node of kxm.Job; lower(Job{...}) makes one
  Role role = Role::program;  // when it has finished
  std::string verb = {};      // of kd, when no target is given: "train"
  std::string flag = {};      // where its parameters are set: "cfg.xm_job"; default: xp.jobs.NAME
};

struct ProvidedJobs {
  std::vector<ProvidedJob> jobs = {};
  std::optional<std::string> title = {};  // of the experiment, unless it has a name
  std::vector<std::string> tags = {};
};

struct JobsContext {
  const LoadedConfig* config = nullptr;  // that of --cfg=, if there is one
};

class JobsProvider {
 public:
  struct Ops {
    ProvidedJobs (*jobs)(const void* provider, const JobsContext& context);
  };
  template <class T>
  static constexpr Ops ops = {[](const void* p, const JobsContext& context) {
    return static_cast<const T*>(p)->jobs(context);
  }};
};

// None.
struct EmptyJobs {
  ProvidedJobs jobs(const JobsContext&) const { return {}; }
};

// The jobs of a training config: "train", which cfg.xm_job describes, and one for each evaluator
// that runs in a job of its own; evaluators of one job_group share theirs.
struct KauldronJobs {
  ProvidedJobs jobs(const JobsContext& context) const;
};

}  // namespace kxm

KONFIG_COMPONENT(kxm::JobsProvider, kxm::EmptyJobs, "kauldron.kxm:EmptyJobs");
KONFIG_COMPONENT(kxm::JobsProvider, kxm::KauldronJobs, "kauldron.kxm:KauldronJobs");
