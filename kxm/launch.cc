// Runs and stops experiments.
#include "kxm/launch.h"

#include <malloc.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "konfig/error.h"
#include "kxm/launcher_lock_impl.h"
#include "kxm/scheduler_impl.h"

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

RunResult run(State& state, int xid, ExecutorRef executor, const RunOptions& options) {
  const ExperimentRow experiment = recorded(state, xid);
  ::malloc_trim(0);  // what planning left behind would slow the start of every job
  RunOptions now = options;
  std::optional<RunResult> result;
  for (;;) {
    auto lock = LauncherLock::take(experiment.home);
    if (!lock && result) return *result;
    if (!lock) {
      const auto other = LauncherLock::holder(experiment.home).value_or(Launcher());
      throw Error(ErrorKind::value, "experiment " + std::to_string(xid) + ": process " +
                                        std::to_string(other.pid) + " on " + other.host +
                                        " runs it already; watch it with `kd status " +
                                        std::to_string(xid) + "`, or stop it with `kd stop " +
                                        std::to_string(xid) + "`");
    }
    result = Scheduler(state, experiment, executor, now).run();
    now.again = false;
    // Whoever added units while the lock was held left them to this launcher.
    lock.reset();
    const bool all = now.wids.empty() && !result->left && !result->stopped;
    if (!all || state.count_units(xid).total() <= result->units.total()) return *result;
  }
}

void stop(State& state, int xid, ExecutorRef executor, Stop how, const std::vector<int>& wids) {
  const ExperimentRow experiment = recorded(state, xid);
  const auto lock = LauncherLock::take(experiment.home);
  if (!lock) {
    leave_request(experiment.home, {how, wids});
    return;
  }
  const RunOptions options;
  Scheduler(state, experiment, executor, options).stop(how, wids);
}

std::optional<Launcher> launcher_of(const ExperimentRow& experiment) {
  return LauncherLock::holder(experiment.home);
}

}  // namespace kxm
