// Runs an experiment: starts its jobs in order, watches them, retries, stops, resumes.
//
//   State state(state_folder());
//   const RunResult result = run(state, xid, Local{}, {.on_event = show});
//   if (result.units[JobState::failed] > 0) std::cerr << "some failed\n";
//
// A launcher may die at any instant: its jobs go on, and another `run` of the same experiment
// adopts them. What is about to be started is recorded first, and a lock that the job inherits says
// that it lives, so that nothing is lost and nothing runs twice.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kxm/executor.h"
#include "kxm/orchestrator.h"
#include "kxm/state.h"

namespace kxm {

struct Event {
  enum class Kind {
    adopted,  // an earlier launcher started it
    started,
    submitted,  // an executor with a queue of its own starts it later
    placed,     // which it has done now; `text` says where
    ended,
    retried,
    state,
    note,  // of no job: `text` says why nothing happens
  } kind = Kind::state;
  int wid = 0;
  std::string job;
  JobState state = JobState::waiting;  // of the job, afterwards
  int attempt = 0;                     // its number
  std::string folder;                  // of the attempt: log.txt is in it
  std::optional<Ended> ended = {};     // Kind::ended and Kind::retried
  std::string text = {};               // Kind::placed and Kind::note
  bool waits = false;                  // Kind::adopted: it is in a queue
  bool unclear = false;                // Kind::submitted: whether it was taken is not known yet
  Counts units;                        // of the units that are run, afterwards
};

// Asks a run to stop. All members may be called from any thread and from a signal handler.
class Stopper {
 public:
  Stopper();
  ~Stopper();
  Stopper(const Stopper&) = delete;
  Stopper& operator=(const Stopper&) = delete;

  void ask(Stop how) noexcept;  // `now` beats `gently`
  // The run ends at once and leaves the jobs as they are: a launcher that goes away.
  void leave() noexcept;
  bool asked() const noexcept;

  std::optional<Stop> how() const noexcept;
  bool left() const noexcept;
  int descriptor() const { return descriptor_; }  // readable once something new was asked
  void heard() noexcept;                          // until something else is asked

 private:
  int descriptor_;
  std::atomic<int> what_ = 0;
};

struct RunOptions {
  bool again = false;          // also what failed, was stopped or was skipped: `resume`
  std::vector<int> wids = {};  // only these units; empty: all
  // It may ask and change the state: add units, stop some.
  std::function<void(const Event&)> on_event = {};
  std::function<void()> on_tick = {};  // a few times a second: to show logs and a clock
  // Looks at results: called when a unit has ended and every few seconds. What it adds is recorded
  // and run, what it stops counts as stopped.
  std::function<Steering::Changes(const Progress&)> steer = {};
  Stopper* stopper = nullptr;
};

struct RunResult {
  Counts units;          // of the units that were run
  bool stopped = false;  // on request
  bool left = false;     // Stopper::leave: jobs may be running
};

// Throws an Error for what `run` would refuse: another launcher runs it, jobs that the executor
// cannot run, secrets that are not set. Nothing is changed.
void check_run(const State& state, int xid, ExecutorRef executor, const RunOptions& options = {});
// An Error if one of these environment variables is not set.
void require_secrets(const std::vector<std::string>& names);

// Until every job is finished, failed for good, stopped or skipped; units that are recorded
// meanwhile are run, too. An Error if another launcher runs the experiment: it says who.
RunResult run(State& state, int xid, ExecutorRef executor, const RunOptions& options = {});

// Stops units of an experiment, all without `wids`: through its launcher if one runs it, else
// here. Returns once the request was left or the jobs were signalled; these may take a while to
// save.
void stop(State& state, int xid, ExecutorRef executor, Stop how, const std::vector<int>& wids = {});

// Who runs an experiment now.
struct Launcher {
  int pid = 0;
  std::string host;
  double since = 0;
};
std::optional<Launcher> launcher_of(const ExperimentRow& experiment);
std::string to_text(const Launcher& launcher);  // "process 4711 on vm"
// Leaves it to the launcher to run units again that failed or were stopped, all without `wids`.
// False if there is none.
bool ask_to_resume(const ExperimentRow& experiment, const std::vector<int>& wids = {});
// Waits until its launcher has taken what was asked of it; false if that has ended without: one
// that is told to end goes on with nothing. `on_wait` is called if that takes a while.
bool await_taken(const ExperimentRow& experiment, const std::function<void()>& on_wait = {});

}  // namespace kxm
