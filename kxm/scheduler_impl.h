// One run of an experiment: which job starts when, and what its end means.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "kxm/launch.h"
#include "kxm/launcher_lock_impl.h"
#include "kxm/state_impl.h"

namespace kxm {

// Whether `resume` goes on with a unit of this state. One in which nothing failed or was stopped
// has been ended by an orchestrator: it runs again only if it is named.
inline bool runs_again(JobState unit, bool named) {
  return unit != JobState::finished && (named || unit != JobState::skipped);
}

class Scheduler {
 public:
  // The caller holds the experiment's lock.
  Scheduler(State& state, ExperimentRow experiment, ExecutorRef executor,
            const RunOptions& options);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  RunResult run();
  // Signals what runs and gives up what waits, without waiting for the end.
  void stop(Stop how, const std::vector<int>& wids);

 private:
  struct Job {
    OpenJob info;
    Attempt attempt = {};      // its current one; without a token: none
    int failures = 0;          // in this run
    std::string dropped = {};  // why it was stopped though nobody asked: it is not needed any more
    bool stopped = false;      // on request
    bool begun = false;        // of an executor with a queue: it was seen to run
    bool placed = false;       // and where, which was told
    int requeues = 0;          // that were told
    bool failed = false;       // before this run, which has not started it again
    bool past = false;         // its attempt is of an earlier run, and ended or was stopped there
    bool untold = false;       // its attempt is of an earlier run, and was not yet seen to live
    bool running() const { return info.state == JobState::running; }
    bool waiting() const { return info.state == JobState::waiting; }
  };
  struct Unit {
    int wid = 0;
    std::string dir;
    std::vector<Job> jobs;
    int failures = 0;  // attempts that failed before this run; with fail_fast only
    JobState state() const;
  };

  // scheduler_adopt.cc
  void load(int after);
  void restart(Unit& unit);
  void ask_again(const std::set<int>& wids);  // empty: all
  void run_again();
  bool is_ending(int wid) const;
  void fewest_failures_first();
  void check_secrets();
  void adopt();
  bool adopt_next(Unit& unit, Job& job);
  // scheduler_start.cc
  void start();
  int limit_left(const Unit& unit) const;
  bool start_unit(Unit& unit);
  bool waits_for_training(const Unit& unit, const Job& job) const;
  std::vector<Job*> ready(Unit& unit);
  static std::string unset_secret(const std::vector<Job*>& jobs);
  void leave(Unit& unit, const std::string& why);
  void prepare(Unit& unit, Job& job);
  void submit();
  // scheduler_end.cc
  void watch();
  bool collect();  // whether of a job that was stopped here nothing is known
  void notice(Job& job, const Seen& seen);
  void settle(Unit& unit, Job& job, Ended ended);
  void failed(Unit& unit, const Job& job);
  void skip_dependents(Unit& unit);
  // scheduler_stop.cc
  void obey();
  void steer();
  // `because`: what does not need them any more, so that `resume` leaves them; "": a request
  void stop_units(Stop how, const std::set<int>& wids, const std::string& because = "");
  void settle_unclear();
  // scheduler.cc
  void check_records() const;
  void set_state(Unit& unit, Job& job, JobState state);
  void tell(Event::Kind kind, const Job& job, const std::optional<Ended>& ended = {});
  void say(const std::string& text);
  void deliver();
  bool done(const Unit& unit) const;
  std::vector<std::pair<Unit*, Job*>> running_jobs();

  State& state_;
  const ExperimentRow experiment_;
  const std::filesystem::path home_;
  Plan plan_;
  ExecutorRef executor_;
  const RunOptions& options_;

  std::deque<Unit> units_;                        // those with something to do
  std::deque<Unit*> queue_;                       // of these, not begun
  std::vector<Unit*> active_;                     // begun and not done
  std::vector<std::pair<Unit*, Job*>> prepared_;  // to be submitted together
  int last_wid_ = 0;                              // that was looked at
  std::vector<Event> events_;                     // told outside of transactions
  std::set<std::string> unclear_;                 // tokens of those that may have been taken
  // Tokens of attempts that an earlier launcher was about to submit, by unit, job and number.
  std::map<std::tuple<int, std::string, int>, std::string> intents_;
  Counts counts_;
  int ended_ = 0;                                       // jobs that ended since `steer` looked
  std::chrono::steady_clock::time_point steered_ = {};  // when that was
  std::optional<Stop> stopping_;                        // everything
  bool asked_ = false;                                  // for that, from outside
  bool told_to_wait_ = false;                           // for what other experiments have
  std::string first_failure_ = {};                      // with fail_fast: the job that ended it
  std::map<int, bool> again_ = {};  // units that are to run again once they have ended: by name?
};

}  // namespace kxm
