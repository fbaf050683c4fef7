// Starting Slurm's programs.
#include "kxm/slurm/commands_impl.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <thread>

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

// False after `longest`.
bool ends_within(pid_t pid, std::chrono::milliseconds longest) {
  const auto end = std::chrono::steady_clock::now() + longest;
  const int descriptor = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  bool ended = false;
  while (!ended) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    if (left.count() <= 0) break;
    if (descriptor >= 0) {
      pollfd file = {descriptor, POLLIN, 0};
      ended = ::poll(&file, 1, static_cast<int>(left.count())) > 0;
    } else {  // an old kernel
      siginfo_t info = {};
      ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT | WNOHANG);
      ended = info.si_pid == pid;
      if (!ended) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  if (descriptor >= 0) ::close(descriptor);
  return ended;
}

std::string content(const base::File& file) {
  ::lseek(file.descriptor(), 0, SEEK_SET);
  return file.read();
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

Outcome ask(const std::vector<std::string>& argv, std::chrono::milliseconds longest) {
  const base::File null("/dev/null", O_RDONLY);
  const base::File out(::memfd_create("out", MFD_CLOEXEC), argv.front());
  const base::File err(::memfd_create("err", MFD_CLOEXEC), argv.front());
  Spawn spawn;
  spawn.give(null.descriptor(), 0);
  spawn.give(out.descriptor(), 1);
  spawn.give(err.descriptor(), 2);
  const pid_t pid = spawn.start(argv);
  const bool in_time = ends_within(pid, longest);
  if (!in_time) ::kill(-pid, SIGKILL);
  Outcome outcome;
  outcome.code = wait_for_exit(pid);
  if (!in_time) outcome.code = -1;
  outcome.out = content(out);
  outcome.err = content(err);
  return outcome;
}

int run_to_files(const std::vector<std::string>& argv, const fs::path& in, const fs::path& out,
                 const fs::path& err, int kept) {
  const base::File input(in, O_RDONLY);
  const base::File output(out, O_WRONLY | O_CREAT | O_TRUNC);
  const base::File errors(err, O_WRONLY | O_CREAT | O_TRUNC);
  Spawn spawn;
  spawn.give(input.descriptor(), 0);
  spawn.give(output.descriptor(), 1);
  spawn.give(errors.descriptor(), 2);
  spawn.give(kept, kept);
  return wait_for_exit(spawn.start(argv));
}

Problem problem_of(std::string_view err) {
  if (contains(err, "Unable to contact slurm controller (connect failure)") ||
      contains(err, "Connection refused") || contains(err, "controller in standby") ||
      contains(err, "Munge encode failed") || contains(err, "Failed to access \"")) {
    return Problem::away;
  }
  for (const std::string_view text :
       {"Unable to contact slurm controller", "Socket timed out", "Zero Bytes were transmitted",
        "Communication connection failure", "Unexpected message received", "Connection reset",
        "Insane message length", "Message receive failure", "Message send failure"}) {
    if (contains(err, text)) return Problem::unclear;
  }
  for (const std::string_view text :
       {"job submit limit", "SubmitJob", "MaxSubmit", "temporarily unable to accept job",
        "Resource temporarily unavailable"}) {
    if (contains(err, text)) return Problem::limit;
  }
  return Problem::refused;
}

bool says_unknown_job(std::string_view err) { return contains(err, "Invalid job id specified"); }

bool is_configured() {
  try {
    if (!ask({"sbatch", "--version"}).ok()) return false;
  } catch (const Error&) {
    return false;
  }
  for (const char* file :
       {"/etc/slurm/slurm.conf", "/etc/slurm-llnl/slurm.conf", "/run/slurm/conf/slurm.conf"}) {
    std::error_code error;
    if (fs::exists(file, error)) return true;
  }
  if (const char* conf = std::getenv("SLURM_CONF")) {
    std::error_code error;
    if (fs::exists(conf, error)) return true;
  }
  // A cluster may tell its configuration over the network.
  const Outcome config = ask({"scontrol", "show", "config"}, std::chrono::seconds(20));
  return config.ok() && contains(config.out, "SlurmctldHost");
}

}  // namespace kxm::slurm
