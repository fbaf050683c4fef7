#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <atomic>

#include "loader/crash_impl.h"

namespace loader {
namespace {

std::atomic<const char*> last_words{nullptr};
static_assert(std::atomic<const char*>::is_always_lock_free, "used in a signal handler");

void say(const char* text) {
  [[maybe_unused]] const auto n = ::write(STDERR_FILENO, text, ::strlen(text));
}

void report(int signal) {
  if (const char* text = last_words.load()) {
    say(text);
    say("SIG");
    say(::sigabbrev_np(signal));
    say("; a debugger shows where: gdb --args ");
    say(program_invocation_short_name);
    say(" ...\n");
  }
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

}  // namespace

CrashReport::CrashReport(const std::string& file, const std::string& doing)
    : text_(std::string(program_invocation_short_name) + ": error: " + file + ": crashed in " +
            doing + ": "),
      outer_(last_words.exchange(text_.c_str())),
      stack_(static_cast<std::size_t>(SIGSTKSZ) * 4) {
  stack_t stack = {};
  stack.ss_sp = stack_.data();
  stack.ss_size = stack_.size();
  ::sigaltstack(&stack, &old_stack_);
  struct sigaction action = {};
  action.sa_handler = report;
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &old_[i]);
    // A sanitizer says more.
    if (old_[i].sa_handler == SIG_DFL) ::sigaction(kSignals[i], &action, nullptr);
  }
}

CrashReport::~CrashReport() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &old_[i], nullptr);
  ::sigaltstack(&old_stack_, nullptr);
  last_words = outer_;
}

}  // namespace loader
