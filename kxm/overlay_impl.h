// Arguments and variables that only some jobs of a unit get: XManager's
// `add(jobs, args={"eval": {"args": {"batch": 8}}})`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "konfig/value.h"

namespace kxm::detail {

// Of one job; they beat what the job itself and the sweep give.
struct Overlay {
  konfig::Dict args = {};
  konfig::Dict env_vars = {};
};

// By the names of jobs; those of a group may be below its name: {"rl": {"actor": {"args": ...}}}.
// An unknown job, or another key than `args` and `env_vars`, is an Error.
std::map<std::string, Overlay> read_overlays(const konfig::Dict& per_job,
                                             const std::vector<std::string>& jobs);

}  // namespace kxm::detail
