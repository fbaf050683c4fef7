// A launch that goes on in the background: `kd resume` in a session of its own, whose output goes
// to the log of the launcher once it runs.
#pragma once

#include <string>
#include <vector>

namespace cli {

// Starts kd with these arguments and waits until it runs, or says why it does not: a Failure with
// that. What it says before goes to `log`.
void start_in_background(const std::vector<std::string>& args, int log);

// That process. Elsewhere it does nothing.
class Background {
 public:
  Background();
  // It runs: what it prints from now on goes to `log`.
  void runs(int log);

 private:
  bool waited_for_;
};

}  // namespace cli
