// The supervisor's process: from the fork to the end of the job.
#include "kxm/supervisor_process_impl.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "kxm/executor.h"
#include "kxm/orphan_impl.h"
#include "kxm/records_impl.h"

namespace kxm {

namespace {

// ---- Texts without memory of their own ----------------------------------------------------------

class Text {
 public:
  Text& operator<<(std::string_view text) {
    const std::size_t n = std::min(text.size(), at_.size() - size_ - 1);
    std::memcpy(at_.data() + size_, text.data(), n);
    size_ += n;
    return *this;
  }
  Text& operator<<(long long number) {
    std::array<char, 24> digits;
    std::size_t n = digits.size();
    auto left = static_cast<unsigned long long>(number < 0 ? -number : number);
    do digits[--n] = static_cast<char>('0' + left % 10);
    while (left /= 10);
    if (number < 0) digits[--n] = '-';
    return *this << std::string_view(digits.data() + n, digits.size() - n);
  }
  Text& seconds(long long micros) {
    *this << micros / 1000000 << ".";
    for (long long digit = 100000; digit > 0; digit /= 10) *this << micros / digit % 10;
    return *this;
  }
  // Padded to its whole size: it takes the place of what was reserved.
  bool write_to(int descriptor) {
    std::memset(at_.data() + size_, ' ', at_.size() - size_);
    at_.back() = '\n';
    ssize_t n;
    do n = ::pwrite(descriptor, at_.data(), at_.size(), 0);
    while (n < 0 && errno == EINTR);
    return n == static_cast<ssize_t>(at_.size());
  }

 private:
  std::array<char, kRecord> at_;
  std::size_t size_ = 0;
};

long long micros_now() {
  timespec time;
  ::clock_gettime(CLOCK_REALTIME, &time);
  return time.tv_sec * 1000000ll + time.tv_nsec / 1000;
}

// How often the system has killed a process for want of memory; -1: it does not say.
long long kills_for_memory() {
  const int file = ::open("/proc/vmstat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  static std::array<char, 1 << 15> text;
  std::size_t size = 0;
  for (;;) {
    const auto n = ::read(file, text.data() + size, text.size() - size);
    if (n <= 0) break;
    size += static_cast<std::size_t>(n);
  }
  ::close(file);
  const std::string_view all(text.data(), size);
  const auto found = all.find("\noom_kill ");
  if (found == all.npos) return -1;
  long long out = 0;
  for (char c : all.substr(found + 10)) {
    if (c < '0' || c > '9') break;
    out = out * 10 + (c - '0');
  }
  return out;
}

// ---- The job ------------------------------------------------------------------------------------

void reset_signals() {
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
}

// All but these: the launcher's locks and pipes end with the launcher.
void close_others(std::array<int, 7> kept) {
  std::sort(kept.begin(), kept.end());
  unsigned from = 3;
  const auto close_range = [](unsigned first, unsigned last) {
    if (first > last) return;
    if (::syscall(SYS_close_range, first, last, 0) == 0) return;
    for (unsigned i = first; i <= std::min(last, 65536u); ++i) ::close(static_cast<int>(i));
  };
  for (const int keep : kept) {
    if (keep < static_cast<int>(from)) continue;
    close_range(from, static_cast<unsigned>(keep) - 1);
    from = static_cast<unsigned>(keep) + 1;
  }
  close_range(from, ~0u);
}

// For the lock: who runs the job, and since when.
Text begun(const Start& start, long long started, pid_t supervisor, pid_t job) {
  Text out;
  out << "{\"supervisor\": " << supervisor << ", \"pid\": " << job << ", \"started\": ";
  out.seconds(started) << ", \"host\": " << start.host_json << "}";
  return out;
}

// Whoever asked it to stop before the lock had its number could not send a signal. It ends before
// it is the program, so that the program never hears of one stop twice, from here and from there.
void obey_earlier_stop(const Start& start) {
  struct stat found;
  if (::stat(start.stop.c_str(), &found) != 0) return;
  ::kill(::getpid(), found.st_size > 0 ? SIGKILL : SIGTERM);
}

[[noreturn]] void become_the_job(const Start& start, long long started, int null, int failure) {
  ::setpgid(0, 0);
  // Before it can kill its supervisor: the launcher then looks after it by this number.
  begun(start, started, ::getppid(), ::getpid()).write_to(start.lock);
  reset_signals();
  obey_earlier_stop(start);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (!start.cpus.empty()) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int cpu : start.cpus) {
      if (cpu < CPU_SETSIZE) CPU_SET(cpu, &set);
    }
    ::sched_setaffinity(0, sizeof set, &set);
  }
  ::dup2(null, 0);
  ::dup2(start.log, 1);
  ::dup2(start.log, 2);
  // Inherited: the lock says that the job lives, also when its supervisor does not. Out of the way
  // of the numbers that scripts use.
  ::fcntl(start.lock, F_DUPFD, 200);
  if (start.slots >= 0) ::fcntl(start.slots, F_DUPFD, 200);
  if (start.cwd.empty() || ::chdir(start.cwd.c_str()) == 0) {
    ::execve(start.program.c_str(), start.argv_pointers.data(), start.env_pointers.data());
  }
  const int error = errno;
  [[maybe_unused]] auto n = ::write(failure, &error, sizeof error);
  ::_exit(127);
}

// Whether the disk of the log has no room for another page.
bool is_full(int log) {
  struct statfs system;
  if (::fstatfs(log, &system) != 0 || system.f_blocks == 0) return false;
  const auto free = ::geteuid() == 0 ? system.f_bfree : system.f_bavail;
  return free * static_cast<unsigned long long>(system.f_bsize) < 4096;
}

struct Watched {
  bool over = false;  // its time limit
  bool full = false;  // the disk of its log was, for a while
};

// Until the job has ended, which is left to be collected.
Watched wait_for_end(const Start& start, pid_t job, long long started) {
  constexpr long long kPause = 10'000'000;  // between looks at the disk
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  long long deadline = start.limit > 0 ? started + start.limit : 0;
  Watched out;
  for (;;) {
    siginfo_t info = {};
    const bool gone =
        ::waitid(P_PID, static_cast<id_t>(job), &info, WEXITED | WNOWAIT | WNOHANG) != 0 &&
        errno != EINTR;
    // Nobody but the job sees that a line could not be written.
    out.full = out.full || is_full(start.log);
    if (gone || info.si_pid == job) return out;
    if (start.needed != 0 && ::getppid() != start.needed) ::kill(-job, SIGKILL);
    const long long left = deadline == 0 ? kPause : std::min(kPause, deadline - micros_now());
    if (left > 0) {
      const timespec time = {static_cast<time_t>(left / 1000000), left % 1000000 * 1000};
      ::sigtimedwait(&child, nullptr, &time);
    } else {
      ::kill(-job, out.over ? SIGKILL : SIGTERM);
      deadline = out.over ? 0 : micros_now() + start.grace;
      out.over = true;
    }
  }
}

}  // namespace

void supervise(const Start& start) {
  ::setsid();
  ::prctl(PR_SET_NAME, start.name.c_str());
  if (start.needed != 0) ::prctl(PR_SET_PDEATHSIG, SIGCHLD);  // ends a wait for the job
  reset_signals();
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE}) ::signal(signal, SIG_IGN);
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  ::sigprocmask(SIG_SETMASK, &child, nullptr);
  close_others({start.lock, start.slots, start.log, start.record, start.wake, start.folder, 2});
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int i : {0, 1, 2}) ::dup2(null, i);
  int failure[2] = {-1, -1};
  [[maybe_unused]] const int piped = ::pipe2(failure, O_CLOEXEC);

  const long long kills = kills_for_memory();
  const long long started = micros_now();
  // First: an attempt that wrote this has begun, and does not count as never started.
  begun(start, started, ::getpid(), 0).write_to(start.lock);
  // A signal that comes before the job is one waits for it: here it would be ignored.
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  // The job borrows this memory until it has its own, instead of copying the launcher's.
  const pid_t job = ::vfork();
  if (job == 0) become_the_job(start, started, null, failure[1]);
  int error = job < 0 ? errno : 0;
  ::sigprocmask(SIG_SETMASK, &child, nullptr);
  ::close(failure[1]);
  int status = 0;
  Watched watched;
  rusage usage = {};
  if (job > 0) {
    ::setpgid(job, job);
    int reason = 0;
    ssize_t n;
    do n = ::read(failure[0], &reason, sizeof reason);
    while (n < 0 && errno == EINTR);
    if (n == sizeof reason) error = reason;
    watched = wait_for_end(start, job, started);
    ::kill(-job, SIGKILL);  // what it left behind
    while (::wait4(job, &status, 0, &usage) < 0 && errno == EINTR) {
    }
  }

  const long long ended = micros_now();
  const bool stopped = ::faccessat(start.folder, kStop, F_OK, 0) == 0;
  const int code = code_of(status);
  End how = end_of(status, stopped);
  if (error != 0) {
    how = End::not_started;
  } else if (watched.over) {
    how = End::time_limit;
  } else if (how == End::signal && code == SIGKILL && kills >= 0 && kills_for_memory() > kills) {
    how = End::out_of_memory;
  }
  Text out;
  out << "{\"how\": \"" << to_string(how) << "\", \"code\": " << (error != 0 ? 0 : code)
      << ", \"host\": ";
  out << start.host_json << ", \"started\": ";
  out.seconds(started) << ", \"ended\": ";
  out.seconds(ended) << ", \"cpu_seconds\": ";
  out.seconds((usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000ll + usage.ru_utime.tv_usec +
              usage.ru_stime.tv_usec)
      << ", \"peak_memory\": " << usage.ru_maxrss * 1024ll;
  if (error != 0) {
    const char* text = ::strerrordesc_np(error);
    out << ", \"reason\": \"" << (text ? text : "it cannot be executed") << "\"";
  } else if (watched.full) {
    out << ", \"reason\": \"the disk was full, so its log may be cut\"";
  }
  out << "}";
  if (start.slots >= 0) ::close(start.slots);  // free for the next, who is about to be woken
  const bool written = out.write_to(start.record);
  if (written) ::renameat(start.folder, kReserved, start.folder, kEnded);
  [[maybe_unused]] auto n = ::write(start.wake, &job, sizeof job);
  // Afterwards, so that nobody waits for the disk.
  ::fsync(start.record);
  ::_exit(0);
}

}  // namespace kxm
