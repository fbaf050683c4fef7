#include "cli/write_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

#include "cli/errors.h"

namespace cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file, int error) {
  throw Failure("cannot write " + file.string() + ": " + std::strerror(error));
}

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

// An open file; errors are reported for `name`.
class Output {
 public:
  Output(int fd, fs::path name) : fd_(fd), name_(std::move(name)) {}
  ~Output() {
    if (fd_ >= 0) ::close(fd_);
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  int fd() const { return fd_; }
  void write(std::string_view text) {
    while (!text.empty()) {
      const auto n = ::write(fd_, text.data(), text.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail(name_, errno);
      text.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  void sync() {
    if (::fsync(fd_) != 0) fail(name_, errno);
  }

 private:
  int fd_;
  fs::path name_;
};

// The name of the file aside, while it has one; removed unless it was renamed.
struct Aside {
  std::string pattern;
  std::string name = "";
  ~Aside() {
    if (!name.empty()) ::unlink(name.c_str());
  }
};

mode_t mode_of(const fs::path& file) {
  struct stat info;
  if (::stat(file.c_str(), &info) == 0) return info.st_mode & 07777;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

// A file without a name where the system has such (it vanishes with the process), else a named one.
int open_aside(const fs::path& folder, Aside& aside) {
  const int fd = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (fd >= 0) return fd;
  aside.name = aside.pattern;
  const int named = ::mkostemp(aside.name.data(), O_CLOEXEC);
  if (named < 0) aside.name.clear();
  return named;
}

// Gives a file without a name one that is still free.
bool name_aside(int fd, Aside& aside) {
  if (!aside.name.empty()) return true;
  const std::string self = "/proc/self/fd/" + std::to_string(fd);
  const std::string base = aside.pattern.substr(0, aside.pattern.size() - 6);
  for (unsigned i = 0; i < 100; ++i) {
    aside.name = base + std::to_string(::getpid()) + "-" + std::to_string(i);
    if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, aside.name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      return true;
    }
    aside.name.clear();
    if (errno != EEXIST) return false;
  }
  return false;
}

void replace(const fs::path& file, std::string_view text) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  Aside aside{.pattern = (folder / ("." + file.filename().string() + ".XXXXXX")).string()};
  const int fd = open_aside(folder, aside);
  if (fd < 0) fail(file, errno);
  Output out(fd, file);
  out.write(text);
  if (::fchmod(fd, mode_of(file)) != 0) fail(file, errno);
  out.sync();
  if (!name_aside(fd, aside)) fail(file, errno);
  if (::rename(aside.name.c_str(), file.c_str()) != 0) fail(file, errno);
  aside.name.clear();
  // The new name has to survive a power cut too; a folder that cannot be synced is no failure.
  const int folder_fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_fd >= 0) {
    ::fsync(folder_fd);
    ::close(folder_fd);
  }
}

}  // namespace

void write_file(const fs::path& file, std::string_view text) {
  NoInterrupts guard;
  std::error_code error;
  const auto status = fs::status(file, error);
  if (fs::is_directory(status)) fail(file, EISDIR);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    const int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) fail(file, errno);
    Output(fd, file).write(text);
    return;
  }
  // A link stays a link: what it leads to is replaced.
  const fs::path target = fs::is_symlink(file, error) ? fs::weakly_canonical(file, error) : file;
  replace(error ? file : target, text);
}

}  // namespace cli
