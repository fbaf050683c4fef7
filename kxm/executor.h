// Where jobs run. An executor takes whole batches: it starts attempts, says how they are, stops
// them. What it starts outlives the launcher, and a token finds it again.
//
//   struct Board {                             // an executor of your own
//     void submit(std::span<const Attempt> attempts) const { ... }
//     std::vector<Seen> poll(std::span<const Attempt> attempts) const { ... }
//     void stop(std::span<const Attempt> attempts, Stop how) const { ... }
//   };
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "konfig/implement.h"
#include "kxm/plan.h"

namespace kxm {

// One start of one job.
struct Attempt {
  int xid = 0;
  int wid = 0;
  std::string job;
  int number = 1;     // of this job
  std::string token;  // recorded before the start; unique
  PlannedJob what;
  std::string unit_dir;  // the unit's folder; "" when there is none
  std::string folder;    // where this attempt keeps its log and its records
  std::string cwd;       // where it starts
};

enum class End {
  finished,       // it exited with 0
  exit_code,      // with another code
  signal,         // a signal ended it
  out_of_memory,  // the system killed it for want of memory
  time_limit,     // it took longer than its requirements allow
  stopped,        // it was asked to stop, and did
  incomplete,     // it exited with 0, but a training left no train_complete.txt
  not_started,    // it never ran; `reason` says why
  lost,           // it is gone, and its supervisor was killed: nobody saw how it ended
  dropped,        // its cluster was to start it again, and forgot that: it is started once more
};

struct Ended {
  End how = End::finished;
  int code = 0;  // the exit code or the signal's number
  std::string host;
  double started = 0, ended = 0;  // seconds since 1970; 0: unknown
  std::string reason = {};        // for people: why it did not start, or what else went wrong
  double cpu_seconds = 0;         // of the job and its children
  std::int64_t peak_memory = 0;   // bytes, of its largest process; 0: unknown
};

// A start of an attempt, of which a cluster may need several.
struct Round {
  double started = 0, ended = 0;  // seconds since 1970
};

struct Seen {
  enum class Is { unknown, waiting, running, ended } is = Is::unknown;  // unknown: no answer
  std::optional<Ended> ended = {};
  std::string where = {};  // "pid 4711", "slurm 17_3": for people
  int requeues = 0;        // how often a queue had taken it back when it began
};

enum class Stop { gently, now };  // lets them save first; kills them

// Who waits for an executor.
struct Attendant {
  int wake = -1;  // can be read when something is asked of the launcher: long calls end early
  std::function<void(const std::string&)> say = {};  // for people: why nothing happens
  // Whether this one, of those just submitted, was taken is not known yet.
  std::function<void(const Attempt&)> unclear = {};
};

// Until `wake` can be read (-1: nothing wakes it), but no longer than this.
void wait_for(int wake, std::chrono::milliseconds longest);

class Executor {
 public:
  struct Ops {
    // Starts them; false for one that has no place now and is offered again. One that cannot be
    // started at all is `ended` in the next poll.
    std::vector<bool> (*submit)(const void* executor, std::span<const Attempt> attempts);
    // In the order of `attempts`. Looking changes nothing.
    std::vector<Seen> (*poll)(const void* executor, std::span<const Attempt> attempts);
    void (*stop)(const void* executor, std::span<const Attempt> attempts, Stop how);
    // An Error for jobs that could never run here, before anything is recorded.
    void (*check)(const void* executor, std::span<const PlannedJob> jobs);
    // Whether there is place for all of these now.
    bool (*fits)(const void* executor, std::span<const PlannedJob> jobs);
    // Whether it takes jobs now, so that it is worth while to prepare some.
    bool (*accepts)(const void* executor);
    // Returns when a job may have ended, when `wake` can be read (-1: none), or after a while.
    void (*wait)(const void* executor, std::span<const Attempt> running, int wake);
    // Called before the others, and with an empty one at the end.
    void (*attend)(const void* executor, const Attendant& attendant);
    // Has a queue of its own: all jobs are submitted at once. Without one, `fits` decides.
    bool queues;
  };

  template <class T>
  static constexpr bool has_fits = requires(const T& t, std::span<const PlannedJob> jobs) {
    t.fits(jobs);
  };

  // submit, poll and stop are needed; the others may be left out.
  template <class T>
  static constexpr Ops ops = {
      .submit =
          [](const void* e, std::span<const Attempt> attempts) {
            const T& executor = *static_cast<const T*>(e);
            if constexpr (std::is_void_v<decltype(executor.submit(attempts))>) {
              executor.submit(attempts);
              return std::vector<bool>(attempts.size(), true);
            } else {
              return executor.submit(attempts);
            }
          },
      .poll = [](const void* e,
                 std::span<const Attempt> a) { return static_cast<const T*>(e)->poll(a); },
      .stop = [](const void* e, std::span<const Attempt> a,
                 Stop how) { static_cast<const T*>(e)->stop(a, how); },
      .check =
          [](const void* e, std::span<const PlannedJob> jobs) {
            if constexpr (requires(const T& t) { t.check(jobs); })
              static_cast<const T*>(e)->check(jobs);
          },
      .fits =
          [](const void* e, std::span<const PlannedJob> jobs) {
            if constexpr (has_fits<T>) {
              return static_cast<const T*>(e)->fits(jobs);
            } else {
              return true;
            }
          },
      .accepts =
          [](const void* e) {
            if constexpr (requires(const T& t) { t.accepts(); }) {
              return static_cast<const T*>(e)->accepts();
            } else {
              return true;
            }
          },
      .wait =
          [](const void* e, std::span<const Attempt> running, int wake) {
            if constexpr (requires(const T& t) { t.wait(running, wake); }) {
              static_cast<const T*>(e)->wait(running, wake);
            } else {
              wait_for(wake, std::chrono::seconds(1));
            }
          },
      .attend =
          [](const void* e, const Attendant& attendant) {
            if constexpr (requires(const T& t) { t.attend(attendant); })
              static_cast<const T*>(e)->attend(attendant);
          },
      .queues = !has_fits<T>,
  };
};

// An executor and its functions. It refers to the object, which has to outlive it.
class ExecutorRef {
 public:
  template <class T>
  requires requires(const T& t, std::span<const Attempt> a) { t.poll(a); }
  ExecutorRef(const T& executor) : ops_(&Executor::ops<T>), object_(&executor) {}
  ExecutorRef(const konfig::Poly<Executor>& executor)
      : ops_(&konfig::ops_of(executor)), object_(executor.object().get()) {}

  std::vector<bool> submit(std::span<const Attempt> a) const { return ops_->submit(object_, a); }
  std::vector<Seen> poll(std::span<const Attempt> a) const { return ops_->poll(object_, a); }
  void stop(std::span<const Attempt> a, Stop how) const { ops_->stop(object_, a, how); }
  void check(std::span<const PlannedJob> jobs) const { ops_->check(object_, jobs); }
  bool fits(std::span<const PlannedJob> jobs) const { return ops_->fits(object_, jobs); }
  bool accepts() const { return ops_->accepts(object_); }
  void wait(std::span<const Attempt> a, int wake) const { ops_->wait(object_, a, wake); }
  void attend(const Attendant& attendant) const { ops_->attend(object_, attendant); }
  bool queues() const { return ops_->queues; }

 private:
  const Executor::Ops* ops_;
  const void* object_;
};

}  // namespace kxm
