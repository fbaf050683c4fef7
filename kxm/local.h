// The executor of this machine: each job is a process group of its own, with CPUs and GPUs that no
// other job has, and a supervisor that outlives the launcher and notes how it ended.
//
//   const Local local;
//   local.check(plan.units.front().jobs);             // an Error if the machine is too small
//
// Who has which CPU, GPU and share of the memory is kept as locks of one file in the state's
// folder: experiments side by side share none of them, and what a killed job had is free at once.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kxm/executor.h"

namespace kxm {

struct Local {
  std::string machine = {};   // the folder of those locks; "": that of the state
  double grace_seconds = 30;  // between SIGTERM and SIGKILL when a job exceeds its time limit

  void check(std::span<const PlannedJob> jobs) const;
  bool fits(std::span<const PlannedJob> jobs) const;
  std::vector<bool> submit(std::span<const Attempt> attempts) const;
  std::vector<Seen> poll(std::span<const Attempt> attempts) const;
  void stop(std::span<const Attempt> attempts, Stop how) const;
  void wait(std::span<const Attempt> running, int wake) const;
};

}  // namespace kxm
