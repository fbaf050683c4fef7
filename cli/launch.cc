#include "cli/launch.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/background.h"
#include "cli/errors.h"
#include "cli/experiments.h"
#include "cli/launch_view.h"
#include "cli/program.h"
#include "cli/queued.h"
#include "cli/refusal.h"
#include "cli/shown.h"
#include "cli/tensorboard.h"
#include "cli/terminal.h"
#include "konfig/json.h"
#include "kxm/address.h"
#include "kxm/launch.h"
#include "kxm/local.h"

namespace cli {
namespace {

namespace fs = std::filesystem;

std::atomic<kxm::Stopper*> stopper_of_signals{nullptr};
std::atomic<int> stopped_by{0};
std::atomic<int> log_descriptor{-1};
static_assert(std::atomic<int>::is_always_lock_free, "used in a signal handler");

void ask_to_stop(int signal) {
  kxm::Stopper& stopper = *stopper_of_signals.load();
  const auto before = stopper.how();
  stopped_by = signal;
  if (before == kxm::Stop::now) {
    stopper.leave();
  } else {
    stopper.ask(before ? kxm::Stop::now : kxm::Stop::gently);
  }
}

// The terminal is gone: all goes on, and what was shown there goes to the log.
void lose_terminal(int) {
  for (const int shown : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat file;
    if (::fstat(shown, &file) == 0 && S_ISREG(file.st_mode)) continue;
    ::dup2(log_descriptor, shown);
  }
}

// While it lives, signals are asked of the stopper.
class LaunchSignals {
 public:
  LaunchSignals(kxm::Stopper& stopper, int log) {
    stopper_of_signals = &stopper;
    stopped_by = 0;
    log_descriptor = log;
    set(SIGINT, ask_to_stop);
    set(SIGTERM, ask_to_stop);
    std::signal(SIGPIPE, SIG_IGN);  // `kd launch ... | head` loses the reader, not the experiment
    if (log >= 0) set(SIGHUP, lose_terminal);
  }
  ~LaunchSignals() {
    for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(signal, SIG_DFL);
  }
  LaunchSignals(const LaunchSignals&) = delete;
  LaunchSignals& operator=(const LaunchSignals&) = delete;

 private:
  static void set(int signal, void (*handler)(int)) {
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, nullptr);
  }
};

// What a launch without a terminal says.
int open_log(const kxm::State& state, int xid) {
  const auto row = state.experiment(xid);
  const fs::path file = fs::path(row ? row->home : ".") / "launcher.log";
  return ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

void resume_in_background(const std::string& what, const RunLaunch& how, int log) {
  std::vector<std::string> args = {"resume", "xid:" + what};
  if (!how.again) args.emplace_back("--waiting");
  args.emplace_back("--quiet");  // what jobs print is in their logs
  if (how.tensorboard) args.emplace_back("--tensorboard");
  try {
    start_in_background(args, log);
  } catch (const Failure& e) {
    throw Failure(what + " does not go on in the background: " + e.what() +
                  "; the experiment is recorded: kd resume " + what);
  }
}

// What is said on standard output: `text`, or all that is known of it as JSON.
void say_how_it_is(const kxm::State& state, const kxm::Address& what, bool json,
                   const std::string& text) {
  if (!json) return print(text);
  kxm::ExperimentRow experiment = *state.experiment(what.xid);
  std::vector<kxm::UnitRow> units =
      what.wid ? std::vector{state.unit(what.xid, *what.wid)} : state.units(what.xid);
  look_in_queue(experiment, units);
  print(konfig::to_json(what.wid ? to_dict(units.front(), what.xid) : to_dict(experiment, units)) +
        "\n");
}

// Whether nothing is left to run: then there is nothing to do in the background either.
bool is_done(const kxm::State& state, const kxm::Address& what) {
  if (what.wid) return state.unit(what.xid, *what.wid).state == kxm::JobState::finished;
  const kxm::Counts units = state.count_units(what.xid);
  return units[kxm::JobState::finished] + units[kxm::JobState::skipped] == units.total();
}

int exit_code(const kxm::RunResult& result) {
  if (result.stopped || (result.left && stopped_by != 0))
    return 128 + (stopped_by != 0 ? stopped_by.load() : SIGTERM);
  // Those that a search ended are skipped.
  const int unfinished = result.units[kxm::JobState::failed] + result.units[kxm::JobState::stopped];
  return unfinished == 0 ? kFine : kFailure;
}

}  // namespace

int run_launched(kxm::State& state, int xid, const RunLaunch& how) {
  Background background;
  const auto row = state.experiment(xid);
  const kxm::Address what = {.xid = xid, .wid = how.wid};
  const std::vector<int> wids = how.wid ? std::vector{*how.wid} : std::vector<int>();
  const auto other = row ? kxm::launcher_of(*row) : std::nullopt;
  const auto waits = [&] {
    remark(std::to_string(xid) + ": " + to_text(*other) + " has not answered yet; waiting for it");
  };
  if (other && (!how.again || (kxm::ask_to_resume(*row, wids) && kxm::await_taken(*row, waits)))) {
    if (how.tensorboard) {
      remark(
          "TensorBoard is not started: another launcher runs the experiment; `tensorboard "
          "--logdir=" +
          shown(row->dir) + "` shows it");
    }
    say_how_it_is(state, what, how.json,
                  std::to_string(xid) + ": " + to_text(*other) + " runs it and takes up " +
                      (how.again ? "what failed or was stopped" : "the new units") +
                      ": kd status " + std::to_string(xid) + "\n");
    return kFine;
  }
  const kxm::Local local;
  const kxm::ExecutorRef executor =
      how.executor ? kxm::ExecutorRef(how.executor) : kxm::ExecutorRef(local);
  if (how.again) {
    try {
      kxm::check_run(state, xid, executor, {.again = true, .wids = wids});
    } catch (const konfig::Error& e) {
      throw Refusal(error_text(e));
    }
  }
  const int log = open_log(state, xid);
  log_descriptor = log;
  const std::string id = kxm::to_text(what);
  if (how.detach && !is_done(state, what)) {
    resume_in_background(id, how, log);
    say_how_it_is(state, what, how.json,
                  id + " goes on in the background: kd status " + id +
                      " --watch, kd logs, kd stop " + id + "\n");
    return kFine;
  }
  std::optional<TensorBoard> tensorboard;
  if (how.tensorboard) {
    tensorboard.emplace(row->dir, (fs::path(row->home) / "tensorboard.log").string());
  }
  kxm::Stopper stopper;
  kxm::RunResult result;
  std::vector<std::string> warnings;
  {
    const LaunchSignals signals(stopper, log);
    LaunchView view(state, what, {.logs = how.logs});
    kxm::RunOptions options{.again = how.again,
                            .wids = wids,
                            .on_event =
                                [&](const kxm::Event& event) {
                                  background.runs(log);
                                  view.on_event(event);
                                },
                            .on_tick =
                                [&] {
                                  background.runs(log);
                                  view.show_stop(stopper.how());
                                  if (tensorboard) tensorboard->watch();
                                  view.tick();
                                },
                            .stopper = &stopper};
    if (how.steering) options.steer = [&](auto& progress) { return how.steering->step(progress); };
    result = kxm::run(state, xid, executor, options);
    warnings = view.warnings();
  }
  if (how.json) {
    say_how_it_is(state, what, true, "");
  } else {
    print_summary(state, what, result, warnings);
  }
  return exit_code(result);
}

}  // namespace cli
