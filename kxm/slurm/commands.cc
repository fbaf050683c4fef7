// Starting Slurm's programs.
#include "kxm/slurm/commands_impl.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>
#include <system_error>

#include "base/file.h"
#include "konfig/error.h"

extern char** environ;

namespace kxm::slurm {

namespace fs = std::filesystem;
using konfig::Error;
using konfig::ErrorKind;

namespace {

bool is_kept(std::string_view pair) {
  const std::string_view name = pair.substr(0, pair.find('='));
  // Where Slurm is, and what people set for all their jobs.
  static constexpr std::array<std::string_view, 6> kKept = {"SLURM_CONF",       "SLURM_CONF_SERVER",
                                                            "SLURM_JWT",        "SBATCH_ACCOUNT",
                                                            "SBATCH_PARTITION", "SBATCH_QOS"};
  if (std::find(kKept.begin(), kKept.end(), name) != kKept.end()) return true;
  for (const std::string_view prefix :
       {"SLURM_", "SBATCH_", "SQUEUE_", "SACCT_", "SINFO_", "SCANCEL_", "SCONTROL_", "SLURMD_"}) {
    if (name.starts_with(prefix)) return false;
  }
  return true;
}

class Spawn {
 public:
  Spawn() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
  }
  ~Spawn() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;

  void give(int descriptor, int as) {
    ::posix_spawn_file_actions_adddup2(&actions_, descriptor, as);
  }

  pid_t start(const std::vector<std::string>& argv) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
    std::vector<std::string> texts = argv;
    std::vector<char*> pointers;
    for (auto& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    std::vector<char*> env;
    for (char** e = environ; *e; ++e) {
      if (is_kept(*e)) env.push_back(*e);
    }
    std::string times = "SLURM_TIME_FORMAT=%s";
    env.push_back(times.data());
    env.push_back(nullptr);
    pid_t pid = -1;
    const int error =
        ::posix_spawnp(&pid, pointers[0], &actions_, &attributes_, pointers.data(), env.data());
    if (error != 0) {
      throw Error(ErrorKind::value, argv.front() + ": cannot be started: " + std::strerror(error) +
                                        "; is Slurm installed on this machine?");
    }
    return pid;
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

int exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }

int wait_for_exit(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return exit_code(status);
}

std::atomic<int> wake = -1;

enum class Waited { ended, too_long, interrupted };

Waited wait_for_end(pid_t pid, std::optional<std::chrono::milliseconds> longest) {
  const auto start = std::chrono::steady_clock::now();
  const base::File child(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)), "pidfd");
  for (;;) {
    int left = -1;
    if (longest) {
      const auto spent = std::chrono::steady_clock::now() - start;
      left = static_cast<int>(
          std::chrono::duration_cast<std::chrono::milliseconds>(*longest - spent).count());
      if (left <= 0) return Waited::too_long;
    }
    std::array<pollfd, 2> files = {pollfd{child.descriptor(), POLLIN, 0}, pollfd{wake, POLLIN, 0}};
    if (::poll(files.data(), files.size(), left) < 0 && errno != EINTR) return Waited::ended;
    if (files[0].revents != 0) return Waited::ended;
    if (files[1].revents != 0) return Waited::interrupted;
  }
}

std::string content(const base::File& file) {
  ::lseek(file.descriptor(), 0, SEEK_SET);
  return file.read();
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

void interrupt_by(int descriptor) { wake = descriptor; }

Outcome ask(const std::vector<std::string>& argv, std::chrono::milliseconds longest) {
  const base::File null("/dev/null", O_RDONLY);
  const base::File out(::memfd_create("out", MFD_CLOEXEC), argv.front());
  const base::File err(::memfd_create("err", MFD_CLOEXEC), argv.front());
  Spawn spawn;
  spawn.give(null.descriptor(), 0);
  spawn.give(out.descriptor(), 1);
  spawn.give(err.descriptor(), 2);
  const pid_t pid = spawn.start(argv);
  const Waited waited = wait_for_end(pid, longest);
  if (waited != Waited::ended) ::kill(-pid, SIGKILL);
  Outcome outcome;
  outcome.code = wait_for_exit(pid);
  if (waited != Waited::ended) outcome.code = -1;
  outcome.interrupted = waited == Waited::interrupted;
  outcome.out = content(out);
  outcome.err = content(err);
  return outcome;
}

namespace {

// Both ends of a channel; unlike with a pipe, writing to a reader that is gone raises no signal.
struct Channel {
  Channel() {
    std::array<int, 2> ends = {};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      throw std::system_error(errno, std::generic_category(), "socketpair");
    }
    out = std::make_unique<base::File>(ends[0], "script");
    in = std::make_unique<base::File>(ends[1], "script");
  }
  std::unique_ptr<base::File> out, in;
};

// In one piece, as its size allows: the reader sees all of it or nothing.
void send_all(const base::File& to, const std::string& text) {
  while (::send(to.descriptor(), text.data(), text.size(), MSG_NOSIGNAL) < 0 && errno == EINTR) {
  }
}

}  // namespace

std::optional<int> run_to_file(const std::vector<std::string>& argv,
                               const std::function<std::string()>& script, const fs::path& answer,
                               int kept) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kOften = std::chrono::milliseconds(20);
  constexpr auto kSleep = std::chrono::seconds(1);  // of sbatch, before it tries again
  const base::File output(answer, O_RDWR | O_CREAT | O_TRUNC);
  Channel channel;
  Spawn spawn;
  spawn.give(channel.in->descriptor(), 0);
  spawn.give(output.descriptor(), 1);
  spawn.give(output.descriptor(), 2);
  spawn.give(kept, kept);
  const pid_t pid = spawn.start(argv);
  channel.in.reset();
  try {
    send_all(*channel.out, script());
  } catch (...) {
    channel.out.reset();
    wait_for_exit(pid);
    throw;
  }
  channel.out.reset();
  for (auto awake = Clock::now();;) {
    const Waited waited = wait_for_end(pid, kOften);
    if (waited == Waited::interrupted) return std::nullopt;
    if (waited == Waited::ended) return wait_for_exit(pid);
    const auto look = Clock::now();
    if (!contains(base::try_read_file(answer).value_or(""), "sleeping and retrying")) {
      awake = look;
      continue;
    }
    ::kill(-pid, SIGKILL);
    const int code = wait_for_exit(pid);
    // Had it slept to its end, it might have asked once more.
    return Clock::now() - awake < kSleep ? std::optional(code) : std::nullopt;
  }
}

namespace {

// The lines, without the name of the program in front.
std::vector<std::string> lines_of(std::string_view err) {
  std::vector<std::string> out;
  std::istringstream in{std::string(err)};
  for (std::string line; std::getline(in, line);) {
    for (const std::string_view lead : {"error: ", "fatal: ", "failed: "}) {
      if (const auto at = line.find(lead); at != line.npos) line.erase(0, at + lead.size());
    }
    if (!line.empty()) out.push_back(line);
  }
  return out;
}

// "AssocMaxSubmitJobLimit" is a line of its own before the complaint.
bool is_name(std::string_view line) { return !line.empty() && line.find(' ') == line.npos; }

}  // namespace

std::string reason_in(std::string_view err) {
  const auto lines = lines_of(err);
  return lines.empty() ? "no answer in time" : lines.back();
}

std::string limit_in(std::string_view err) {
  for (const std::string& line : lines_of(err)) {
    if (is_name(line)) return line;
  }
  if (contains(err, "temporarily") || contains(err, "queue full")) return "MaxJobCount";
  return reason_in(err);
}

Problem problem_of(std::string_view err) {
  if (contains(err, "Unable to contact slurm controller (connect failure)") ||
      contains(err, "Connection refused") || contains(err, "controller in standby") ||
      contains(err, "Munge encode failed") || contains(err, "Failed to access \"")) {
    return Problem::away;
  }
  for (const std::string_view text :
       {"Unable to contact slurm controller", "Socket timed out", "Zero Bytes were transmitted",
        "Communication connection failure", "Unexpected message received",
        "Unexpected missing socket error", "Header lengths are longer", "Connection reset",
        "Insane message length", "Message receive failure", "Message send failure"}) {
    if (contains(err, text)) return Problem::unclear;
  }
  for (const std::string_view text : {"SubmitJob", "MaxSubmit", "temporarily unable to accept job",
                                      "job queue full", "Resource temporarily unavailable"}) {
    if (contains(err, text)) return Problem::limit;
  }
  // Old versions do not say which limit; where they do, any other one is for good.
  const auto lines = lines_of(err);
  const bool named = std::any_of(lines.begin(), lines.end(), is_name);
  return contains(err, "job submit limit") && !named ? Problem::limit : Problem::refused;
}

Problem problem_of(const Outcome& outcome) {
  return outcome.code < 0 ? Problem::unclear : problem_of(outcome.err);
}

bool says_unknown_job(std::string_view err) { return contains(err, "Invalid job id specified"); }

bool in_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (::access((fs::path(folder.empty() ? "." : folder) / program).c_str(), X_OK) == 0)
      return true;
  }
  return false;
}

std::string missing_configuration() {
  const char* file = std::getenv("SLURM_CONF");
  std::error_code error;
  return file && !fs::exists(file, error) && !error ? file : "";
}

bool is_configured() {
  if (!in_path("sbatch")) return false;
  // Somebody meant a cluster, and is told what is wrong.
  if (std::getenv("SLURM_CONF")) return true;
  for (const char* file :
       {"/etc/slurm/slurm.conf", "/etc/slurm-llnl/slurm.conf", "/run/slurm/conf/slurm.conf"}) {
    std::error_code error;
    if (fs::exists(file, error)) return true;
  }
  // A cluster may tell its configuration over the network: its name service names the controller,
  // which may be down.
  const Outcome config = ask({"scontrol", "show", "config"}, std::chrono::seconds(20));
  return config.ok() || !contains(config.err, "DNS SRV lookup failed");
}

}  // namespace kxm::slurm
