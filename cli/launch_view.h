// What a launch shows: a table of what runs and the lines of its logs on standard error, and at the
// end a summary on standard output.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/live_lines.h"
#include "cli/log_tails.h"
#include "kxm/address.h"
#include "kxm/launch.h"
#include "kxm/state.h"

namespace cli {

class LaunchView {
 public:
  struct Options {
    bool logs = true;  // the lines of running jobs, with their names in front
  };
  // Of an experiment, or of one unit of it.
  LaunchView(const kxm::State& state, const kxm::Address& what, Options options);

  void on_event(const kxm::Event& event);
  void tick();  // a few times a second: new lines of logs, the time
  // That jobs are being stopped, when that is new. Not from a signal handler: it would be drawn
  // over.
  void show_stop(std::optional<kxm::Stop> how);
  // What went wrong with jobs that did not fail: "17/3/train: its log may be cut".
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  struct Running {
    std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
    int attempt = 1;
    std::string swept = {};  // of its unit
    bool waits = false;      // in the queue of a cluster
    std::string where = {};  // on a cluster
  };
  Running running_of(const kxm::Event& event) const;
  std::string name_of(int wid, const std::string& job) const;
  void add_log_line(const std::string& name, std::string_view line);
  void skip_of(const std::string& name);
  void print_log_lines();
  kxm::Counts counts_now() const;
  void draw();

  const kxm::State& state_;
  kxm::Address what_;
  Options options_;
  std::string title_;
  std::map<std::pair<int, std::string>, Running> running_;
  kxm::Counts units_;
  std::vector<std::string> warnings_;
  std::optional<kxm::Stop> stop_ = {};  // that was shown
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  LogTails tails_{1 << 16};     // the log has the rest of a longer line
  std::string log_lines_ = {};  // to be printed together
  LiveLines live_;
  const bool began_live_ = live_.is_live();
};

// "12 finished, 1 failed, 3 running"; "no units" when there are none.
std::string counts_text(const kxm::Counts& counts);
// "1:02:03", "02:03"
std::string duration_text(double seconds);
// "lr=0.1, seed=2"
std::string args_text(const konfig::Dict& args);
// With keys as short as they are clear, for tables: "learning_rate=0.1".
std::string short_args_text(const konfig::Dict& args);

// After the run of an experiment, or of one unit of it: counts, warnings, what failed with the last
// lines of its log, and what to type next.
void print_summary(const kxm::State& state, const kxm::Address& what, const kxm::RunResult& result,
                   const std::vector<std::string>& warnings);

}  // namespace cli
