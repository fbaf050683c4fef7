// One task on its node: starts the job under a supervisor, passes signals on, and decides what its
// end means: a record beside the results, or another turn in the queue.
//
// Each start has a folder of its own below the attempt's, run-1, run-2, ..., where the supervisor
// notes how it ended. Only the last of them becomes the record of the attempt.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <thread>

#include "base/file.h"
#include "base/number_in.h"
#include "konfig/error.h"
#include "kxm/lock_impl.h"
#include "kxm/ports_impl.h"
#include "kxm/records_impl.h"
#include "kxm/slurm.h"
#include "kxm/slurm/batch_impl.h"
#include "kxm/slurm/commands_impl.h"
#include "kxm/slurm/container_impl.h"
#include "kxm/slurm/outputs.h"
#include "kxm/slurm/script_impl.h"
#include "kxm/supervisor_impl.h"
#include "kxm/text_impl.h"

namespace kxm {

namespace fs = std::filesystem;
using konfig::Error;
using konfig::ErrorKind;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

std::string environment(const char* name, std::string_view otherwise = "") {
  const char* value = std::getenv(name);
  return value ? value : std::string(otherwise);
}

sigset_t signals() {
  sigset_t out;
  sigemptyset(&out);
  for (const int signal : {SIGUSR1, SIGUSR2, SIGTERM, SIGCHLD}) sigaddset(&out, signal);
  return out;
}

constexpr const char* kFirstFailure = "failed";  // in the folder of a run

void touch(const fs::path& file) { base::File(file, O_WRONLY | O_CREAT); }

class Run {
 public:
  Run(slurm::TaskToRun task) : attempt_(std::move(task.attempt)), extras_(std::move(task.extras)) {}

  int operator()() {
    const sigset_t set = signals();
    ::sigprocmask(SIG_BLOCK, &set, nullptr);
    const fs::path folder = attempt_.folder;
    fs::create_directories(folder);
    if (!attempt_.unit_dir.empty()) fs::create_directories(attempt_.unit_dir);
    if (fs::exists(folder / kEnded)) return already();
    const base::File lock(folder / kLock, O_RDWR | O_CREAT);
    take(lock);
    if (fs::exists(folder / kEnded)) return already();
    if (fs::exists(folder / kStop)) {
      // It was stopped while Slurm still had it, or before Slurm heard of it.
      finish({.how = End::stopped, .host = node(), .ended = now()});
      return 0;
    }
    if (const auto ended = end_earlier_runs()) {
      finish(*ended);
      return 0;
    }
    const std::string& image = attempt_.what.resources.container;
    if (!image.empty()) {
      const auto runtime = slurm::container_runtime();
      if (!runtime && extras_.setup.empty()) {
        finish({.how = End::not_started,
                .host = node(),
                .ended = now(),
                .reason = "container '" + image + "': " + node() + ": " +
                          std::string(slurm::kNoRuntime)});
        return 1;
      }
      // Which one takes it is seen after the set-up lines.
      runtimes_ = extras_.setup.empty() ? std::vector{*runtime}
                                        : std::vector<std::string>{"podman", "docker"};
      end_containers();
    }
    begin(lock);
    wait_for_end();
    end_containers();
    return conclude();
  }

 private:
  static std::string node() { return environment("SLURMD_NODENAME", host()); }

  // "n[1-2]" of a job of several tasks.
  std::string nodes() const {
    return attempt_.what.resources.replicas > 1 ? environment("SLURM_JOB_NODELIST", node())
                                                : node();
  }

  // Its own task: the number of one of the tasks is that of the whole array.
  static std::string own_id() {
    return environment("SLURM_ARRAY_JOB_ID") + "_" + environment("SLURM_ARRAY_TASK_ID");
  }

  int already() const {
    std::cerr << "kxm: attempt " << attempt_.folder << " has ended already; nothing to do\n";
    return 0;
  }

  // A node that failed may still be running it: two at once would write to the same files.
  void take(const base::File& lock) const {
    const fs::path file = fs::path(attempt_.folder) / kLock;
    try {
      for (int i = 0; !try_lock(lock.descriptor(), file); ++i) {
        if (i == 0) {
          std::cerr << "kxm: an earlier run still lives on " << processes_of(attempt_.folder).host
                    << ", says " << file.string() << "; waiting until it has ended\n";
        }
        const fs::path run = slurm::last_run(attempt_.folder);
        if (run != fs::path(attempt_.folder)) touch(run / slurm::kTakenOver);
        std::this_thread::sleep_for(seconds(1));
      }
    } catch (const base::FileError& error) {
      std::cerr << "kxm: " << error.what() << "; going on without\n";
    }
  }

  fs::path run_folder(int number) const { return slurm::run_folder(attempt_.folder, number); }

  // Slurm may take a job back whose runner it killed, but not the job, or whose node it only lost
  // sight of. How it ended, if it came to its end meanwhile.
  std::optional<Ended> end_earlier_runs() const {
    for (int number = 1; fs::exists(run_folder(number)); ++number) {
      const fs::path run = run_folder(number);
      for (int i = 0; is_locked(run / kLock); ++i) {
        const Processes old = processes_of(run);
        if (i == 0)
          std::cerr << "kxm: an earlier run still lives on " << old.host << "; ending it\n";
        const bool here = old.host == host() && old.job > 1;
        if (here && (i == 0 || i >= 300)) ::kill(-old.job, i == 0 ? SIGTERM : SIGKILL);
        std::this_thread::sleep_for(milliseconds(100));
      }
      const auto text = base::try_read_file(run / kEnded);
      if (!text) continue;
      const Ended ended = ended_from_json(*text);
      if (is_complete(ended, slurm::was_asked(run))) return ended;
    }
    return std::nullopt;
  }

  // Whether nothing is left to do. What exits with 0 when it is asked to end has saved: only a
  // training says that it is complete as well.
  bool is_complete(const Ended& ended, bool asked_to_end) const {
    if (ended.how != End::finished) return false;
    return attempt_.what.role == Role::train
               ? fs::exists(fs::path(attempt_.unit_dir) / "train_complete.txt")
               : !asked_to_end;
  }

  void begin(const base::File& lock) {
    int number = 1;
    while (fs::exists(run_folder(number))) ++number;
    run_ = run_folder(number);
    fs::create_directory(run_);
    fs::create_symlink(fs::path("..") / kLog, run_ / kLog);
    std::string begun = "{\"supervisor\": " + std::to_string(::getpid()) +
                        ", \"pid\": 0, \"started\": " + std::to_string(now()) + ", \"host\": ";
    append_text(begun, node());
    begun += ", \"slurm\": ";
    append_text(begun, environment("SLURM_JOB_ID"));
    begun += ", \"restarts\": " + std::to_string(restarts());
    [[maybe_unused]] auto cut = ::ftruncate(lock.descriptor(), 0);
    lock.write(begun + "}\n");

    Attempt start = attempt_;
    start.folder = run_;
    choose_ports(start.what.argv);
    start.what.env["KXM_REQUEUES"] = std::to_string(std::max(0, extras_.requeues - time_limits()));
    if (!runtimes_.empty()) {
      Attempt inside = start;
      inside.folder = attempt_.folder;
      start.what.argv = extras_.setup.empty() ? slurm::container_command(runtimes_.front(), inside)
                                              : slurm::container_command_after_setup(inside);
    }
    start.what.argv = slurm::job_command(start.what, extras_.setup, run_ / kFirstFailure);
    start.what.resources = {};  // Slurm sees to them
    // Without its runner it would be outside of its allocation.
    if (!start_supervised(start, {}, 30, Starter::needed)) {
      throw Error(ErrorKind::value, run_.string() + ": another process runs it");
    }
  }

  void wait_for_end() {
    const sigset_t set = signals();
    Attempt started = attempt_;
    started.folder = run_;
    for (;;) {
      // Not any child: this process inherits what the job leaves behind.
      reap();
      if (!awaited(started)) return;
      // Also looks for a wish to stop whose signal Slurm did not pass on.
      const timespec often = to_send_ != 0 ? timespec{0, 100'000'000}
                             : kill_at_    ? timespec{1, 0}
                                           : timespec{15, 0};
      const int signal = ::sigtimedwait(&set, nullptr, &often);
      if (signal != SIGCHLD) hear(signal);
      if (kill_at_ && std::chrono::steady_clock::now() >= *kill_at_) to_send_ = SIGKILL;
      send();
    }
  }

  void hear(int signal) {
    if (const auto how = base::try_read_file(fs::path(attempt_.folder) / kStop)) {
      const int wanted = how->empty() ? SIGTERM : SIGKILL;
      if (asked_ == SIGKILL || asked_ == wanted) return;
      touch(run_ / kStop);
      asked_ = to_send_ = wanted;
    } else if (!kill_at_ && fs::exists(run_ / slurm::kTakenOver)) {
      // Slurm lost sight of this node, and nobody else here would end the job.
      std::cerr << "kxm: Slurm has started it again elsewhere; ending it here\n";
      kill_at_ = std::chrono::steady_clock::now() + seconds(30);
      to_send_ = SIGTERM;
    } else if (signal == SIGUSR1 && !over_) {
      over_ = true;
      touch(run_ / slurm::kOver);
      to_send_ = SIGTERM;
    } else if (signal == SIGTERM) {
      // From Slurm: preempted, requeued or cancelled by hand. Whether the job got it as well
      // depends on how the cluster tracks processes; `kd train` takes two at once for one.
      foreign_ = true;
      touch(run_ / slurm::kTaken);
      to_send_ = SIGTERM;
    }
  }

  // Slurm may signal the job as well, which may end before this process has heard of it.
  void hear_late() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    const timespec moment = {0, 200'000'000};
    if (::sigtimedwait(&set, nullptr, &moment) == SIGTERM) hear(SIGTERM);
  }

  void send() {
    if (to_send_ == 0) return;
    const int job = processes_of(run_).job;
    if (job <= 1) return;  // not yet
    const int signal = std::exchange(to_send_, 0);
    const bool by_srun = attempt_.what.resources.replicas > 1;
    ::kill(-job, by_srun && signal == SIGTERM ? SIGUSR1 : signal);
  }

  int conclude() {
    Ended ended = {.how = End::lost};
    if (const auto text = base::try_read_file(run_ / kEnded)) ended = ended_from_json(*text);
    ended.host = nodes();
    if (ended.how == End::exit_code) ended.code = first_failure().value_or(ended.code);
    hear_late();
    const bool complete = is_complete(ended, slurm::was_asked(run_));
    const bool asked = fs::exists(fs::path(attempt_.folder) / kStop);
    // Slurm's signal may have reached the job before this process passed on what it was for.
    const bool ended_by_it = ended.how == End::signal || ended.how == End::exit_code ||
                             (ended.how == End::finished && slurm::was_asked(run_));
    if (asked && !complete && ended_by_it) ended.how = End::stopped;
    if (kill_at_ && !complete && !asked) {
      touch(run_ / slurm::kRequeue);
      ::_exit(1);
    }
    if (over_ && !complete && !asked) {
      if (time_limits() <= extras_.requeues) requeue();
      ended.how = End::time_limit;
    } else if (foreign_ && !complete && !asked) {
      // If Slurm is about to take it back it must not look finished, nor leave by itself.
      if (wait_until_taken()) ::_exit(1);
      if (ended.how == End::finished) ended.how = End::stopped;  // by a signal of somebody's own
    }
    finish(ended);
    if (ended.how == End::signal) return 128 + ended.code;
    return ended.how == End::finished ? 0 : ended.code != 0 ? ended.code : 1;
  }

  // Of a job of several tasks: the exit code of the one that failed first.
  std::optional<int> first_failure() const {
    const std::string text = base::try_read_file(run_ / kFirstFailure).value_or("");
    return base::number_in<int>(text.substr(0, text.find('\n')));
  }

  // Of this attempt, and of those before it that Slurm forgot to start again.
  int time_limits() const {
    int out = 0;
    for (int number = attempt_.number; number > 0; --number) {
      const fs::path folder = fs::path(attempt_.folder).parent_path() / std::to_string(number);
      if (number < attempt_.number && !was_dropped(folder)) break;
      for (int run = 1; fs::exists(slurm::run_folder(folder, run)); ++run) {
        if (fs::exists(slurm::run_folder(folder, run) / slurm::kOver)) ++out;
      }
    }
    return out;
  }

  static bool was_dropped(const fs::path& attempt) {
    const auto text = base::try_read_file(attempt / kEnded);
    return text && ended_from_json(*text).how == End::dropped;
  }

  // Does not return if Slurm takes it: it ends this process, too.
  void requeue() const {
    touch(run_ / slurm::kRequeue);
    const std::string id = own_id();
    for (auto pause = milliseconds(500);; pause = std::min<milliseconds>(2 * pause, seconds(30))) {
      const slurm::Outcome outcome = slurm::ask({"scontrol", "requeue", id});
      if (outcome.ok()) std::cerr << "kxm: out of time; queued again to go on\n";
      // It has forgotten the job: the launcher submits it again.
      if (!outcome.ok() && slurm::says_unknown_job(outcome.err)) ::_exit(1);
      // Also without an answer: Slurm's signal may have ended the command. A controller that is
      // killed now does not know of it any more, and is told again.
      if (wait_until_taken(seconds(outcome.ok() ? 30 : 1))) ::_exit(1);
      if (!outcome.ok() && slurm::problem_of(outcome) == slurm::Problem::refused) {
        std::cerr << "kxm: out of time, and Slurm does not queue it again: " << outcome.err;
        return;
      }
      std::this_thread::sleep_for(pause);
    }
  }

  // Until Slurm no longer counts it as running here: from then on its exit code means nothing.
  // False if it still does after `longest`.
  bool wait_until_taken(seconds longest = std::chrono::minutes(15)) const {
    const std::string id = own_id();
    const auto end = std::chrono::steady_clock::now() + longest;
    for (auto pause = milliseconds(200); std::chrono::steady_clock::now() < end;
         pause = std::min<milliseconds>(2 * pause, seconds(10))) {
      std::this_thread::sleep_for(pause);
      const slurm::Outcome outcome = slurm::ask({"scontrol", "--oneliner", "show", "job", id});
      if (!outcome.ok()) continue;
      try {
        for (const slurm::Task& task : slurm::parse_jobs(outcome.out)) {
          if (task.restarts > restarts()) touch(run_ / slurm::kRequeue);
          if (task.restarts > restarts() || task.state != "RUNNING") return true;
        }
      } catch (const Error&) {  // no answer
      }
    }
    return false;
  }

  // How often Slurm had queued it again when it began.
  static int restarts() {
    return base::number_in<int>(environment("SLURM_RESTART_COUNT")).value_or(0);
  }

  void end_containers() const {
    for (const std::string& runtime : runtimes_) slurm::end_containers(runtime, attempt_);
  }

  void finish(const Ended& ended) const {
    slurm::put(fs::path(attempt_.folder) / kEnded, ended_json(ended));
  }

  const Attempt attempt_;
  const slurm::TaskExtras extras_;
  fs::path run_;
  std::vector<std::string> runtimes_;  // that its container may be of; empty: it has none
  bool over_ = false, foreign_ = false;
  // Another start waits for this one: when its job is killed.
  std::optional<std::chrono::steady_clock::time_point> kill_at_ = {};
  int asked_ = 0;  // the signal that a wish to stop stands for, once it was heard
  int to_send_ = 0;
};

}  // namespace

int run_slurm_task(const std::vector<std::string>& args) {
  int index = -1;
  if (args.size() == 2) std::from_chars(args[1].data(), args[1].data() + args[1].size(), index);
  if (index < 0) {
    throw Error(ErrorKind::value, "a task is started by Slurm, with a file and the task's number");
  }
  return Run(slurm::read_task(args[0], index))();
}

}  // namespace kxm
