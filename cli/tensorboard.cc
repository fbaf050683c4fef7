#include "cli/tensorboard.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>
#include <vector>

#include "base/free_port.h"
#include "cli/terminal.h"

namespace cli {
namespace {

constexpr auto kPause = std::chrono::milliseconds(20);
constexpr int kPauses = 100;  // that it gets to end

// As TensorBoard: in a group of its own, since Ctrl-C is for the jobs. `problem` gets the reason if
// it cannot be started.
[[noreturn]] void become(char* const* argv, int log, pid_t parent, int problem) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // also when the launcher is killed
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_DFL);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(null, STDIN_FILENO);
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) ::dup2(log >= 0 ? log : null, fd);
  if (::getppid() == parent) ::execvp(argv[0], argv);
  const int error = errno;
  [[maybe_unused]] auto n = ::write(problem, &error, sizeof error);
  ::_exit(127);
}

}  // namespace

TensorBoard::TensorBoard(const std::string& folder, const std::string& log) : log_(log) {
  if (folder.empty()) {
    remark("TensorBoard is not started: no job asked for a folder, so there is nothing to show");
    return;
  }
  const std::string port = std::to_string(base::free_port());
  std::vector<std::string> args = {"tensorboard", "--logdir", folder, "--port", port};
  std::vector<char*> argv;
  for (std::string& arg : args) argv.push_back(arg.data());
  argv.push_back(nullptr);
  const int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  int problem[2] = {-1, -1};
  int error = ::pipe2(problem, O_CLOEXEC) == 0 ? 0 : errno;
  const pid_t parent = ::getpid();
  if (error == 0) {
    pid_ = ::fork();
    if (pid_ == 0) become(argv.data(), file, parent, problem[1]);
    if (pid_ < 0) error = errno;
    ::close(problem[1]);
    int reason = 0;
    if (pid_ > 0 && ::read(problem[0], &reason, sizeof reason) == sizeof reason) error = reason;
    ::close(problem[0]);
  }
  if (file >= 0) ::close(file);
  if (error == 0) {
    ::setpgid(pid_, pid_);
    remark("TensorBoard: http://localhost:" + port);
    return;
  }
  if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
  pid_ = 0;
  remark("TensorBoard cannot be started (" + std::string(std::strerror(error)) +
         "): pip install tensorboard; the experiment runs without it");
}

bool TensorBoard::has_ended() {
  if (pid_ <= 0 || ::waitpid(pid_, nullptr, WNOHANG) == 0) return false;
  pid_ = 0;
  return true;
}

void TensorBoard::watch() {
  if (!has_ended()) return;
  remark("TensorBoard has ended by itself, the experiment goes on; it said: " + log_);
}

TensorBoard::~TensorBoard() {
  if (pid_ <= 0) return;
  const pid_t group = pid_;
  ::kill(-group, SIGTERM);
  for (int i = 0; i < kPauses && !has_ended(); ++i) std::this_thread::sleep_for(kPause);
  // Whoever does not listen, and what it started.
  ::kill(-group, SIGKILL);
  if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
}

}  // namespace cli
