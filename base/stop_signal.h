// Ctrl-C and SIGTERM: the first asks a run to stop, the second ends the program at once.
#pragma once

#include <atomic>

namespace base {

// While it lives, signals are caught.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  // SIGINT or SIGTERM once one came, else 0.
  static std::atomic<int>& received();
};

}  // namespace base
