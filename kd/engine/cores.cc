// How many cores this process may use.
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "base/file.h"
#include "kd/engine/cores_impl.h"
#include "kd/engine/engine.h"

namespace kd::engine {

namespace fs = std::filesystem;

namespace {

int cores_by_affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  // Fails on machines with more cores than the set holds; then no affinity is as good a guess.
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(std::thread::hardware_concurrency());
}

std::string first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

// "150000 100000" is one and a half cores; "max 100000" is no limit.
double quota_v2(const fs::path& group) {
  std::istringstream line(first_line(group / "cpu.max"));
  std::string quota;
  double period = 0;
  if (!(line >> quota >> period) || quota == "max" || period <= 0) return INFINITY;
  return std::strtod(quota.c_str(), nullptr) / period;
}

double quota_v1(const fs::path& group) {
  double quota = std::strtod(first_line(group / "cpu.cfs_quota_us").c_str(), nullptr);
  double period = std::strtod(first_line(group / "cpu.cfs_period_us").c_str(), nullptr);
  return quota > 0 && period > 0 ? quota / period : INFINITY;
}

// The smallest quota of a group and all that contain it. Inside a container the process's own path
// may not be visible: then that of the container, at the top, counts.
template <class F>
double smallest(const fs::path& top, const std::string& path, const F& quota) {
  double least = quota(top);
  fs::path group = top;
  for (const fs::path& part : fs::path(path).relative_path()) {
    group /= part;
    least = std::min(least, quota(group));
  }
  return least;
}

}  // namespace

double cgroup_cores(const std::string& proc_cgroup, const std::string& root) {
  double cores = INFINITY;
  std::istringstream lines(proc_cgroup);
  for (std::string line; std::getline(lines, line);) {
    auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    std::string controllers = line.substr(first + 1, second - first - 1);
    std::string path = line.substr(second + 1);
    if (controllers.empty()) {
      cores = std::min(cores, smallest(root, path, quota_v2));
    } else if (("," + controllers + ",").find(",cpu,") != std::string::npos) {
      cores = std::min(cores, smallest(fs::path(root) / "cpu", path, quota_v1));
    }
  }
  return cores;
}

int available_cores() {
  const std::string groups = base::try_read_file("/proc/self/cgroup").value_or("");
  double quota = cgroup_cores(groups, "/sys/fs/cgroup");
  int cores = cores_by_affinity();
  // Half a core more is still worth a thread.
  if (quota < cores) cores = static_cast<int>(std::lround(quota));
  return std::max(1, cores);
}

}  // namespace kd::engine
