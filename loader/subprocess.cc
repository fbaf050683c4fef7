#include "loader/subprocess_impl.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <mutex>
#include <sstream>
#include <system_error>

#include "base/c_strings.h"
#include "loader/build_info_impl.h"

extern char** environ;

namespace loader {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) != 0) fail("pipe");
    read = fds[0];
    write = fds[1];
  }
  ~Pipe() {
    close(read);
    close(write);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  static void close(int& fd) {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
};

// ---- Signals that ask us to stop, caught while a program runs -----------------------------------

volatile sig_atomic_t caught_signal = 0;
int wake_fd = -1;

void on_signal(int signal) {
  const int saved = errno;
  caught_signal = signal;
  [[maybe_unused]] auto n = ::write(wake_fd, "", 1);
  errno = saved;
}

class CatchSignals {
 public:
  CatchSignals() {
    caught_signal = 0;
    wake_fd = pipe_.write;
    struct sigaction action = {};
    action.sa_handler = on_signal;
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      ::sigaction(kSignals[i], nullptr, &old_[i]);
      if (old_[i].sa_handler != SIG_IGN) ::sigaction(kSignals[i], &action, nullptr);
    }
  }
  ~CatchSignals() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &old_[i], nullptr);
    wake_fd = -1;
  }
  CatchSignals(const CatchSignals&) = delete;
  CatchSignals& operator=(const CatchSignals&) = delete;
  int fd() const { return pipe_.read; }

 private:
  static constexpr std::array<int, 4> kSignals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  Pipe pipe_;
  std::array<struct sigaction, kSignals.size()> old_;
};

// ---- The program --------------------------------------------------------------------------------

// Only calls that are safe between fork and exec.
[[noreturn]] void become(const char* file, char** argv, char** env, int out, int err, int failure) {
  ::setpgid(0, 0);  // so that all its children can be ended together
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const int null = ::open("/dev/null", O_RDONLY);
  if (null >= 0) ::dup2(null, 0);
  ::dup2(out, 1);
  ::dup2(err, 2);
  ::execve(file, argv, env);
  const int error = errno;
  [[maybe_unused]] auto n = ::write(failure, &error, sizeof error);
  ::_exit(127);
}

std::vector<std::string> full_environment(const std::vector<std::string>& added) {
  std::vector<std::string> out = added;
  for (char** e = environ; *e; ++e) {
    const std::string_view text = *e;
    const auto name = text.substr(0, text.find('=') + 1);
    bool replaced = false;
    for (auto& a : added) replaced |= a.starts_with(name);
    if (!replaced) out.emplace_back(text);
  }
  return out;
}

// Reads what is there; closes at the end of the stream.
void drain(int& fd, std::string& to) {
  std::array<char, 1 << 14> block;
  for (;;) {
    const auto n = ::read(fd, block.data(), block.size());
    if (n > 0) {
      to.append(block.data(), static_cast<std::size_t>(n));
    } else if (n < 0 && errno == EINTR) {
      continue;
    } else {
      if (n == 0 || errno != EAGAIN) Pipe::close(fd);
      return;
    }
  }
}

class Child {
 public:
  explicit Child(const Command& command) {
    const auto file = find_program(command.argv.front());
    if (!file) {
      errno = ENOENT;
      fail(command.argv.front());
    }
    auto argv = command.argv;
    auto env = full_environment(command.environment);
    auto argv_pointers = base::c_strings(argv);
    auto env_pointers = base::c_strings(env);
    Pipe failure;
    pid_ = ::fork();
    if (pid_ < 0) fail("fork");
    if (pid_ == 0) {
      become(file->c_str(), argv_pointers.data(), env_pointers.data(), out_.write, err_.write,
             failure.write);
    }
    ::setpgid(pid_, pid_);
    Pipe::close(out_.write);
    Pipe::close(err_.write);
    Pipe::close(failure.write);
    int error = 0;
    ssize_t n;
    do {
      n = ::read(failure.read, &error, sizeof error);
    } while (n < 0 && errno == EINTR);
    if (n == sizeof error) {
      wait();
      errno = error;
      fail(file->string());
    }
    ::fcntl(out_.read, F_SETFL, O_NONBLOCK);
    ::fcntl(err_.read, F_SETFL, O_NONBLOCK);
    pid_fd_ = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
  }

  ~Child() {
    if (pid_ > 0) stop();
    Pipe::close(pid_fd_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Until it ends, a signal comes, or the time is over (then false).
  bool collect(int signal_fd, const Command& command, Outcome& outcome) {
    const auto end = Clock::now() + command.timeout;
    while (caught_signal == 0) {
      int wait_ms = -1;
      if (command.timeout.count() > 0) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
        if (left <= 0) return false;
        wait_ms = static_cast<int>(std::min<long long>(left + 1, 1 << 30));
      }
      // Negative descriptors are ignored by poll. Without pidfd (old kernels) the end of both
      // streams stands for the end of the program.
      std::array<pollfd, 4> fds = {pollfd{out_.read, POLLIN, 0},
                                   {err_.read, POLLIN, 0},
                                   {pid_fd_, POLLIN, 0},
                                   {signal_fd, POLLIN, 0}};
      if (::poll(fds.data(), fds.size(), wait_ms) < 0 && errno != EINTR) fail("poll");
      const bool ended = fds[2].revents != 0;
      if (out_.read >= 0) drain(out_.read, outcome.out);
      if (err_.read >= 0) drain(err_.read, outcome.err);
      if (ended || (pid_fd_ < 0 && out_.read < 0 && err_.read < 0)) return true;
    }
    return true;
  }

  int wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0) {
      if (errno != EINTR) break;
    }
    pid_ = -1;
    return status;
  }

  void stop() {
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
    wait();
  }

 private:
  Pipe out_, err_;
  pid_t pid_ = -1;
  int pid_fd_ = -1;
};

}  // namespace

std::optional<std::filesystem::path> find_program(const std::string& name) {
  const auto works = [](const std::filesystem::path& file) {
    return ::access(file.c_str(), X_OK) == 0 && !std::filesystem::is_directory(file);
  };
  if (name.find('/') != name.npos) {
    return works(name) ? std::optional<std::filesystem::path>(name) : std::nullopt;
  }
  std::istringstream folders(environment("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    const auto file = std::filesystem::path(folder.empty() ? "." : folder) / name;
    if (works(file)) return file;
  }
  return std::nullopt;
}

Outcome run(const Command& command) {
  static std::mutex mutex;  // signals are caught for one program at a time
  std::lock_guard lock(mutex);
  Outcome outcome;
  int stopped_by = 0;
  {
    const CatchSignals signals;
    Child child(command);
    const bool in_time = child.collect(signals.fd(), command, outcome);
    if (!in_time || caught_signal != 0) {
      child.stop();
      outcome.timed_out = !in_time;
      outcome.signal = SIGKILL;
      stopped_by = caught_signal;
    } else {
      const int status = child.wait();
      if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
      if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
    }
  }
  if (stopped_by != 0) throw Interrupted{stopped_by};
  return outcome;
}

}  // namespace loader
