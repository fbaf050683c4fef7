// The part of counting cores that a test can feed. Library only.
#pragma once

#include <string>

namespace kd::engine {

// The CPU quota in cores of the control groups that /proc/self/cgroup lists, mounted at `root`.
// Infinity when there is none.
double cgroup_cores(const std::string& proc_cgroup, const std::string& root);

}  // namespace kd::engine
