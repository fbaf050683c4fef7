// The supervisor's process, and what its launcher prepares for it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

namespace kxm {

// Reserved before the job is started, so that a full disk does not lose how it ended.
inline constexpr std::size_t kRecord = 1024;

struct Start {
  std::string program, cwd, host_json;
  std::vector<std::string> argv, env;
  std::vector<char*> argv_pointers, env_pointers;
  std::string stop;  // a path
  int lock = -1, slots = -1, log = -1, record = -1, wake = -1;
  int folder = -1;  // of the records, which may be moved while the job runs
  std::vector<int> cpus;
  long long limit = 0, grace = 0;  // microseconds
  std::string name;                // of the supervisor's process
  pid_t needed = 0;                // the job ends with this process; 0: it outlives all
};

// Called in a forked process: starts the job, waits for it and notes how it ended. It makes system
// calls and uses the memory of `start`, and nothing else, since the launcher may have threads.
[[noreturn]] void supervise(const Start& start);

}  // namespace kxm
