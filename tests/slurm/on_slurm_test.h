// What tests on a real Slurm share: a cluster for each test, and launchers in separate processes.
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kxm/fixture_test.h"
#include "kxm/slurm.h"
#include "test_paths.h"

namespace kxm {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

inline bool full() { return std::getenv("KD_TEST_FULL") != nullptr; }

inline std::string driver() { return std::string(KD_BINARY_DIR) + "/tests/slurm_driver"; }

// A shell's exit code and what it printed.
inline std::pair<int, std::string> sh(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  std::string out;
  for (int c; (c = std::fgetc(pipe)) != EOF;) out += static_cast<char>(c);
  const int status = ::pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, out};
}

// What tests/slurm/cluster starts; `settings` are variables that it reads: "KD_SLURM_JOBS=20".
class Cluster {
 public:
  explicit Cluster(const fs::path& folder, const std::string& settings = "")
      : folder_(folder.string()), settings_(settings) {
    ::setenv("SLURM_CONF", (folder_ + "/slurm.conf").c_str(), 1);
    control("start");
  }
  ~Cluster() {
    control("stop");
    ::unsetenv("SLURM_CONF");
  }
  void down(const std::string& daemon) const { control("down", daemon); }
  void up(const std::string& daemon) const { control("up", daemon); }
  void restart(const std::string& daemon) const { control("restart", daemon); }
  // The controller is killed, and knows nothing of what came after `saved` was made: it saves some
  // seconds later.
  std::string saved() const { return folder_ + "/saved"; }
  void save() const {
    restart("slurmctld");
    until_controller();
    EXPECT_EQ(sh("cp -a " + folder_ + "/ctld " + saved()).first, 0);
  }
  void forget() const {
    down("slurmctld");
    EXPECT_EQ(sh("rm -r " + folder_ + "/ctld && mv " + saved() + " " + folder_ + "/ctld").first, 0);
    up("slurmctld");
    until_controller();
  }

 private:
  static void until_controller() {
    while (sh("squeue -h 2>/dev/null").first != 0) {
      std::this_thread::sleep_for(milliseconds(100));
    }
  }
  void control(const std::string& command, const std::string& what = "3") const {
    const auto [code, out] = sh(settings_ + " " + KD_SOURCE_DIR + "/tests/slurm/cluster " +
                                command + " " + folder_ + " " + what);
    EXPECT_EQ(code, 0) << out;
  }
  std::string folder_, settings_;
};

class OnSlurm : public RunTest {
 protected:
  explicit OnSlurm(const std::string& settings = "") : cluster(folder / "cluster", settings) {}

  int record(std::vector<std::vector<PlannedJob>> units,
             const std::function<void(Plan&)>& change = {}) {
    Plan made = plan(state.reserve(), std::move(units));
    if (change) change(made);
    state.record(made, "slurm");
    return made.xid;
  }
  RunResult run(int xid, const RunOptions& options = {}) {
    return kxm::run(state, xid, slurm, options);
  }

  void touch(const char* name) const { base::File(folder / name, O_WRONLY | O_CREAT).sync(); }

  // A launcher in a process of its own.
  pid_t launch(int xid, const std::vector<std::string>& options = {}) const {
    const pid_t pid = ::fork();
    if (pid == 0) {
      std::vector<std::string> args = {driver(), state_path.string(), std::to_string(xid)};
      args.insert(args.end(), options.begin(), options.end());
      std::vector<char*> pointers;
      for (auto& arg : args) pointers.push_back(arg.data());
      pointers.push_back(nullptr);
      ::setpgid(0, 0);
      ::execv(pointers[0], pointers.data());
      ::_exit(127);
    }
    return pid;
  }
  // Until a launcher runs it.
  void until_launched(int xid) const {
    until([&] { return launcher_of(*state.experiment(xid)).has_value(); });
  }
  static int wait(pid_t pid) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  // Until the condition holds; a failure after minutes: machines are busy, Slurm has pauses.
  template <class Condition>
  static void until(const Condition& condition) {
    const auto end = std::chrono::steady_clock::now() + seconds(300);
    while (!condition()) {
      ASSERT_LT(std::chrono::steady_clock::now(), end) << sh("squeue -a; sinfo -N -l").second;
      std::this_thread::sleep_for(milliseconds(50));
    }
  }
  std::string text(const fs::path& file) const {
    return base::try_read_file(folder / file).value_or("");
  }
  int lines(const fs::path& file) const {
    const std::string all = text(file);
    return static_cast<int>(std::count(all.begin(), all.end(), '\n'));
  }
  // How often each line is in a file.
  std::map<std::string, int> tally(const fs::path& file) const {
    std::map<std::string, int> out;
    std::istringstream in(text(file));
    for (std::string line; std::getline(in, line);) ++out[line];
    return out;
  }

  // The notes that a run gives people.
  std::vector<std::string> notes;
  RunOptions noting() {
    RunOptions options;
    options.on_event = [this](const Event& event) {
      if (event.kind == Event::Kind::note) notes.push_back(event.text);
    };
    return options;
  }

  Cluster cluster;
  Slurm slurm = {.poll_seconds = 1, .record_seconds = 2, .runner = {driver(), "__job"}};
};

// Its controller forgets a job two seconds after its end.
class Forgetful : public OnSlurm {
 protected:
  Forgetful() : OnSlurm("KD_SLURM_MIN_AGE=2") {}
};

}  // namespace kxm
