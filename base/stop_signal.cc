#include "base/stop_signal.h"

#include <unistd.h>
#include <csignal>
#include <cstring>
#include <ctime>

namespace base {

namespace {

std::atomic<int> first{0};
static_assert(std::atomic<int>::is_always_lock_free, "used in a signal handler");

// Programs that start others may pass one Ctrl-C on twice.
constexpr double kSameSeconds = 0.2;
double received_at = 0;

double now() {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void handle(int signal) {
  const int before = first.exchange(signal);
  if (before == signal && now() - received_at < kSameSeconds) return;
  if (before != 0) _exit(128 + signal);
  received_at = now();
  const char* text = "\nstopping after this step; once more to stop at once\n";
  [[maybe_unused]] auto written = write(STDERR_FILENO, text, std::strlen(text));
}

}  // namespace

std::atomic<int>& StopSignal::received() { return first; }

StopSignal::StopSignal() {
  first = 0;
  struct sigaction action = {};
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;  // reading files goes on
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

StopSignal::~StopSignal() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

}  // namespace base
