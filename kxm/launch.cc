// Runs and stops experiments.
#include "kxm/launch.h"

#include <malloc.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <map>
#include <set>
#include <system_error>
#include <thread>

#include "konfig/error.h"
#include "kxm/launcher_lock_impl.h"
#include "kxm/scheduler_impl.h"
#include "kxm/text_impl.h"

namespace kxm {

using konfig::Error;
using konfig::ErrorKind;

namespace {

constexpr int kGently = 1, kNow = 2, kLeave = 4;

ExperimentRow recorded(const State& state, int xid) {
  auto row = state.experiment(xid);
  if (!row) throw Error(ErrorKind::key, "there is no experiment " + std::to_string(xid));
  if (!row->recorded) {
    throw Error(ErrorKind::value, "experiment " + std::to_string(xid) +
                                      ": its launch ended before it was recorded, and nothing was "
                                      "started; launch it again");
  }
  if (const std::string missing = missing_text(*row); !missing.empty()) {
    throw Error(ErrorKind::value, missing);
  }
  return std::move(*row);
}

[[noreturn]] void throw_second(int xid, const Launcher& first) {
  const std::string number = std::to_string(xid);
  throw Error(ErrorKind::value, "experiment " + number + ": " + to_text(first) +
                                    " runs it already; watch it with `kd status " + number +
                                    "`, or stop it with `kd stop " + number + "`");
}

}  // namespace

Stopper::Stopper() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

Stopper::~Stopper() { ::close(descriptor_); }

void Stopper::ask(Stop how) noexcept {
  what_ |= how == Stop::now ? kNow : kGently;
  const int saved = errno;
  const std::uint64_t one = 1;
  [[maybe_unused]] auto n = ::write(descriptor_, &one, sizeof one);
  errno = saved;
}

void Stopper::leave() noexcept {
  what_ |= kLeave;
  const int saved = errno;
  const std::uint64_t one = 1;
  [[maybe_unused]] auto n = ::write(descriptor_, &one, sizeof one);
  errno = saved;
}

void Stopper::heard() noexcept {
  std::uint64_t count;
  [[maybe_unused]] auto n = ::read(descriptor_, &count, sizeof count);
}

bool Stopper::asked() const noexcept { return what_ != 0; }
bool Stopper::left() const noexcept { return (what_ & kLeave) != 0; }

std::optional<Stop> Stopper::how() const noexcept {
  const int what = what_;
  if ((what & kNow) != 0) return Stop::now;
  if ((what & kGently) != 0) return Stop::gently;
  return std::nullopt;
}

namespace {

void check_jobs(const State& state, int xid, ExecutorRef executor, const RunOptions& options) {
  const std::set<int> wanted(options.wids.begin(), options.wids.end());
  std::vector<PlannedJob> jobs;
  std::set<std::string> secrets;
  const std::vector<OpenJob> all = state.impl().jobs(xid);
  std::map<int, JobState> units;
  for (const OpenJob& job : all) {
    JobState& unit = units.try_emplace(job.wid, job.state).first->second;
    unit = std::max(unit, job.state);
  }
  for (const OpenJob& job : all) {
    if (!wanted.empty() && !wanted.contains(job.wid)) continue;
    const bool again = options.again && job.state != JobState::finished &&
                       job.state != JobState::running &&
                       runs_again(units.at(job.wid), !wanted.empty());
    if (job.state != JobState::waiting && !again) continue;
    jobs.push_back({.name = job.name, .resources = job.resources});
    unpack(job.secrets, [&](std::string_view name) { secrets.emplace(name); });
  }
  executor.check(jobs);
  require_secrets({secrets.begin(), secrets.end()});
}

}  // namespace

void check_run(const State& state, int xid, ExecutorRef executor, const RunOptions& options) {
  const auto row = state.experiment(xid);
  if (const auto first = row ? launcher_of(*row) : std::nullopt) throw_second(xid, *first);
  check_jobs(state, xid, executor, options);
}

void require_secrets(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (std::getenv(name.c_str())) continue;
    throw Error(ErrorKind::value,
                "xp.secrets: the environment variable " + name + " is not set; export it first");
  }
}

RunResult run(State& state, int xid, ExecutorRef executor, const RunOptions& options) {
  const ExperimentRow experiment = recorded(state, xid);
  auto lock = LauncherLock::take(experiment.home);
  if (!lock) throw_second(xid, LauncherLock::holder(experiment.home).value_or(Launcher()));
  check_jobs(state, xid, executor, options);  // which takes its time if a cluster does not answer
  ::malloc_trim(0);  // what planning left behind would slow the start of every job
  RunOptions now = options;
  for (;;) {
    const RunResult result = Scheduler(state, experiment, executor, now).run();
    now.again = false;
    // Whoever added units while the lock was held left them to this launcher.
    lock.reset();
    const bool all = now.wids.empty() && !result.left && !result.stopped;
    const bool more =
        state.count_units(xid).total() > result.units.total() || has_requests(experiment.home);
    if (!all || !more) return result;
    auto next = LauncherLock::take(experiment.home);
    if (!next) return result;
    lock.emplace(std::move(*next));
  }
}

namespace {

// Where no request can be left, as on a disk that the jobs have filled: its launcher is asked as
// Ctrl-C asks it, and the jobs themselves are, too.
void stop_directly(const State& state, const ExperimentRow& experiment, ExecutorRef executor,
                   Stop how, const std::vector<int>& wids) {
  const auto launcher = LauncherLock::holder(experiment.home);
  if (wids.empty() && launcher && launcher->pid > 0 && launcher->host == host()) {
    ::kill(launcher->pid, SIGTERM);
  }
  std::vector<Attempt> attempts;
  const UnitFilter running = {.wids = wids, .states = {JobState::running}};
  for (UnitRow& unit : state.units(experiment.xid, running)) {
    for (JobRow& job : unit.jobs) {
      if (job.state != JobState::running || job.attempts.empty()) continue;
      Attempt& attempt = attempts.emplace_back();
      attempt.xid = experiment.xid;
      attempt.wid = unit.wid;
      attempt.job = job.what.name;
      attempt.number = job.attempts.back().number;
      attempt.token = job.attempts.back().token;
      attempt.folder = job.attempts.back().folder;
      attempt.what = std::move(job.what);
    }
  }
  executor.stop(attempts, how);
}

}  // namespace

void stop(State& state, int xid, ExecutorRef executor, Stop how, const std::vector<int>& wids) {
  const ExperimentRow experiment = recorded(state, xid);
  const auto lock = LauncherLock::take(experiment.home);
  if (!lock) {
    using What = Request::What;
    const What what = how == Stop::now ? What::stop_now : What::stop_gently;
    try {
      leave_request(experiment.home, {.what = what, .wids = wids});
    } catch (const std::system_error&) {
      stop_directly(state, experiment, executor, how, wids);
    }
    return;
  }
  const RunOptions options;
  Scheduler(state, experiment, executor, options).stop(how, wids);
}

std::string to_text(const Launcher& launcher) {
  if (launcher.pid == 0) return "another process";  // which has not said yet who it is
  return "process " + std::to_string(launcher.pid) + " on " + launcher.host;
}

bool ask_to_resume(const ExperimentRow& experiment, const std::vector<int>& wids) {
  if (!launcher_of(experiment)) return false;
  leave_request(experiment.home, {.what = Request::What::resume, .wids = wids});
  // One that has just ended does not look any more; then the next one does.
  return launcher_of(experiment).has_value();
}

bool await_taken(const ExperimentRow& experiment, const std::function<void()>& on_wait) {
  constexpr std::chrono::milliseconds kPause(20);
  constexpr int kWhile = 100;
  for (int pauses = 0; has_requests(experiment.home); ++pauses) {
    if (!launcher_of(experiment)) return false;
    if (pauses == kWhile && on_wait) on_wait();
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

std::optional<Launcher> launcher_of(const ExperimentRow& experiment) {
  return LauncherLock::holder(experiment.home);
}

}  // namespace kxm
