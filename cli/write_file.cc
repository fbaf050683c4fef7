#include "cli/write_file.h"

#include <signal.h>

#include <csignal>

#include "base/durable.h"
#include "cli/errors.h"

namespace cli {
namespace {

// Interrupts wait until the file is in place or gone. A closed pipe and a limit on the size of
// files are errors of `write`, not signals.
class NoInterrupts {
 public:
  NoInterrupts()
      : old_pipe_(std::signal(SIGPIPE, SIG_IGN)), old_size_(std::signal(SIGXFSZ, SIG_IGN)) {
    sigset_t signals;
    sigemptyset(&signals);
    for (int s : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, s);
    ::pthread_sigmask(SIG_BLOCK, &signals, &old_);
  }
  ~NoInterrupts() {
    ::pthread_sigmask(SIG_SETMASK, &old_, nullptr);
    std::signal(SIGPIPE, old_pipe_);
    std::signal(SIGXFSZ, old_size_);
  }
  NoInterrupts(const NoInterrupts&) = delete;
  NoInterrupts& operator=(const NoInterrupts&) = delete;

 private:
  using Handler = void (*)(int);
  Handler old_pipe_, old_size_;
  sigset_t old_;
};

}  // namespace

void write_file(const std::filesystem::path& file, std::string_view text) {
  NoInterrupts guard;
  try {
    base::replace_file(file, text, base::Keep::link_and_permissions);
  } catch (const base::FileError& error) {
    throw Failure("cannot write " + error.path().string() + ": " + error.code().message());
  }
}

}  // namespace cli
