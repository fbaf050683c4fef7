#include "cli/background.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/c_strings.h"
#include "base/file.h"
#include "cli/errors.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to programs

namespace cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInBackground = "KD_IN_BACKGROUND";
constexpr char kRuns = '\0';  // no text has it
// A cluster may take long to answer; by then there is nothing more to go wrong here.
constexpr std::chrono::seconds kLongest(10);

struct Heard {
  std::string text;
  bool runs = false;
};

// Until it runs, has ended or takes too long.
Heard listen(int from) {
  const auto end = std::chrono::steady_clock::now() + kLongest;
  Heard out;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    if (left.count() <= 0) break;
    pollfd file = {from, POLLIN, 0};
    if (::poll(&file, 1, static_cast<int>(left.count())) <= 0) continue;
    char text[4096];
    const ssize_t n = ::read(from, text, sizeof text);
    if (n <= 0) break;
    const std::string_view part(text, static_cast<std::size_t>(n));
    out.text += part.substr(0, part.find(kRuns));
    if (part.find(kRuns) == part.npos) continue;
    out.runs = true;
    break;
  }
  return out;
}

// Of what it said, the error.
std::string reason_of(const std::string& text) {
  constexpr std::string_view kError = "kd: error: ";
  const auto at = text.find(kError);
  std::string out = at == text.npos ? text : text.substr(at + kError.size());
  while (out.ends_with('\n')) out.pop_back();
  return out.empty() ? "it ended at once" : out;
}

pid_t spawn(const std::vector<std::string>& args, int output) {
  const std::string program = fs::read_symlink("/proc/self/exe").string();
  std::vector<std::string> words = {program};
  words.insert(words.end(), args.begin(), args.end());
  std::vector<std::string> env = {std::string(kInBackground) + "=1"};
  for (char** e = environ; *e; ++e) env.emplace_back(*e);
  const std::vector<char*> argv = base::c_strings(words), envp = base::c_strings(env);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  // Inherited: it goes on if this process ends before it runs.
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  pid_t pid = 0;
  const int error =
      ::posix_spawn(&pid, program.c_str(), &actions, &attributes, argv.data(), envp.data());
  std::signal(SIGPIPE, before);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw Failure(std::strerror(error));
  return pid;
}

}  // namespace

void start_in_background(const std::vector<std::string>& args, int log) {
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) throw Failure(std::strerror(errno));
  const base::File from(pipe[0], "pipe");
  pid_t pid = 0;
  {
    const base::File to(pipe[1], "pipe");
    pid = spawn(args, to.descriptor());
  }
  const Heard heard = listen(from.descriptor());
  if (log >= 0) [[maybe_unused]]
    const auto n = ::write(log, heard.text.data(), heard.text.size());
  if (heard.runs) return;
  // The end of what it says comes a moment before its own.
  int status = 0;
  pid_t ended = ::waitpid(pid, &status, WNOHANG);
  for (int tries = 0; ended == 0 && tries < 100; ++tries) {
    ::usleep(10'000);
    ended = ::waitpid(pid, &status, WNOHANG);
  }
  if (ended == pid && status != 0) throw Failure(reason_of(heard.text));
}

Background::Background() : waited_for_(std::getenv(kInBackground) != nullptr) {
  ::unsetenv(kInBackground);  // not for jobs
}

void Background::runs(int log) {
  if (!std::exchange(waited_for_, false)) return;
  [[maybe_unused]] const auto n = ::write(STDERR_FILENO, &kRuns, 1);
  const int to = log >= 0 ? log : ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::dup2(to, STDOUT_FILENO);
  ::dup2(to, STDERR_FILENO);
}

}  // namespace cli
