// Starts a job with a supervisor.
//
// The launcher opens and locks everything, then forks: the lock is held from before the fork until
// the job has ended, whoever is killed meanwhile.
#include "kxm/supervisor_impl.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <system_error>

#include "base/c_strings.h"
#include "base/join.h"
#include "kxm/lock_impl.h"
#include "kxm/orphan_impl.h"
#include "kxm/records_impl.h"
#include "kxm/supervisor_process_impl.h"
#include "kxm/text_impl.h"

extern char** environ;

namespace kxm {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> environment(const Attempt& attempt, const Slots& slots) {
  std::map<std::string, std::string> all;
  for (char** e = environ; *e; ++e) {
    const std::string_view text = *e;
    const auto end = text.find('=');
    if (end != text.npos) all[std::string(text.substr(0, end))] = text.substr(end + 1);
  }
  for (auto& [name, value] : attempt.what.env) all[name] = value;
  // One that asked for parts of the machine keeps off the GPUs of others. Without any of its own it
  // may say itself which ones it sees.
  const bool own = attempt.what.resources.gpus > 0;
  if (slots.gpus && (own || !attempt.what.env.contains("CUDA_VISIBLE_DEVICES"))) {
    all["CUDA_VISIBLE_DEVICES"] = base::join(*slots.gpus, ",");
  }
  all["KXM_XID"] = std::to_string(attempt.xid);
  all["KXM_WID"] = std::to_string(attempt.wid);
  all["KXM_JOB"] = attempt.job;
  all["KXM_ATTEMPT"] = std::to_string(attempt.number);
  all["KXM_TOKEN"] = attempt.token;
  std::vector<std::string> out;
  for (auto& [name, value] : all) out.push_back(name + "=" + value);
  return out;
}

// As a shell finds a program; the name itself if there is none, so that execve gives the reason.
std::string find_program(const std::string& name, const std::vector<std::string>& env) {
  if (name.find('/') != name.npos) return name;
  std::string_view path = "/usr/local/bin:/usr/bin:/bin";
  for (const std::string& pair : env) {
    if (pair.starts_with("PATH=")) path = std::string_view(pair).substr(5);
  }
  while (!path.empty()) {
    const auto end = path.find(':');
    const std::string_view folder = path.substr(0, end);
    std::string file = std::string(folder.empty() ? "." : folder) + "/" + name;
    std::error_code error;
    if (::access(file.c_str(), X_OK) == 0 && !fs::is_directory(file, error)) return file;
    path.remove_prefix(end == path.npos ? path.size() : end + 1);
  }
  return name;
}

// A supervisor.
struct Child {
  std::string token, folder;
  double limit = 0, grace = 0;  // seconds
};

// Children and their pipe belong to the process.
struct Children {
  int read = -1, write = -1;
  std::mutex mutex;
  std::map<pid_t, Child> supervisors;
  std::map<pid_t, Orphan> orphans;
  std::set<pid_t> groups;  // of jobs that have ended: what they left behind is inherited, too

  Children() {
    int pipe[2];
    if (::pipe2(pipe, O_CLOEXEC | O_NONBLOCK) != 0) {
      throw std::system_error(errno, std::generic_category(), "pipe");
    }
    read = pipe[0];
    write = pipe[1];
    // A job whose supervisor is killed becomes a child of the launcher, who sees how it ends.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  }
};

Children& children() {
  static Children all;
  return all;
}

std::unique_ptr<base::File> reserved(const fs::path& file) {
  auto out = std::make_unique<base::File>(file, O_RDWR | O_CREAT | O_TRUNC);
  out->write(std::string(kRecord, ' '));
  return out;
}

}  // namespace

bool start_supervised(const Attempt& attempt, const Slots& slots, double grace_seconds,
                      Starter starter) {
  const fs::path folder = attempt.folder;
  const base::File lock(folder / kLock, O_RDWR | O_CREAT);
  if (!try_lock(lock.descriptor(), folder / kLock) || fs::exists(folder / kEnded)) return false;
  lock.write(std::string(kRecord, ' '));
  const auto record = reserved(folder / kReserved);
  const base::File records(folder, O_RDONLY | O_DIRECTORY);
  const base::File log(folder / kLog, O_WRONLY | O_CREAT | O_APPEND);

  Start start;
  start.argv = attempt.what.argv;
  start.env = environment(attempt, slots);
  start.program = find_program(start.argv.empty() ? "" : start.argv.front(), start.env);
  start.argv_pointers = base::c_strings(start.argv);
  start.env_pointers = base::c_strings(start.env);
  start.cwd = attempt.cwd;
  append_text(start.host_json, host());
  start.stop = folder / kStop;
  start.lock = lock.descriptor();
  start.slots = slots.file ? slots.file->descriptor() : -1;
  start.log = log.descriptor();
  start.record = record->descriptor();
  start.folder = records.descriptor();
  start.wake = children().write;
  start.cpus = slots.cpus;
  start.limit = attempt.what.resources.seconds * 1000000;
  start.grace = static_cast<long long>(grace_seconds * 1e6);
  start.needed = starter == Starter::needed ? ::getpid() : 0;
  // No spaces: Slurm reads it from /proc, and would not find a name with one among its processes.
  start.name = "kxm:" + std::to_string(attempt.xid) + "/" + std::to_string(attempt.wid);

  // No handler of the launcher runs in the child.
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::fork();
  if (pid == 0) supervise(start);
  const int error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) {
    throw std::system_error(error, std::generic_category(),
                            "no process can be made for job '" + attempt.job + "' of unit " +
                                std::to_string(attempt.wid));
  }
  const std::lock_guard guard(children().mutex);
  children().supervisors[pid] = {.token = attempt.token,
                                 .folder = attempt.folder,
                                 .limit = static_cast<double>(attempt.what.resources.seconds),
                                 .grace = grace_seconds};
  return true;
}

int ended_descriptor() { return children().read; }

namespace {

// The job of a supervisor that was killed.
void adopt(Children& all, const Child& child) {
  try {
    const Processes processes = processes_of(child.folder);
    if (processes.job <= 1) return;
    all.orphans[processes.job] = {.folder = child.folder,
                                  .deadline = child.limit > 0 ? processes.started + child.limit : 0,
                                  .grace = child.grace};
  } catch (const std::system_error&) {  // its folder cannot be read: it counts as lost
  }
}

}  // namespace

void reap() {
  Children& all = children();
  const std::lock_guard guard(all.mutex);
  std::array<pid_t, 64> ended;
  ssize_t size;
  while ((size = ::read(all.read, ended.data(), sizeof ended)) > 0) {
    const auto count = static_cast<std::size_t>(size) / sizeof(pid_t);
    all.groups.insert(ended.begin(), ended.begin() + static_cast<std::ptrdiff_t>(count));
  }
  std::erase_if(all.supervisors, [&](const auto& entry) {
    auto& [pid, child] = entry;
    int status = 0;
    const pid_t result = ::waitpid(pid, &status, WNOHANG);
    if (result == pid && WIFSIGNALED(status)) adopt(all, child);
    return result == pid || (result < 0 && errno == ECHILD);
  });
  // Until no child is left in it.
  std::erase_if(all.groups, [](pid_t group) {
    pid_t child = 1;
    while (group > 1 && child > 0) child = ::waitpid(-group, nullptr, WNOHANG);
    return child != 0;
  });
  for (auto it = all.orphans.begin(); it != all.orphans.end();) {
    it = collect(it->first, it->second) ? all.orphans.erase(it) : std::next(it);
  }
}

namespace {

bool has_supervisor(const Children& all, const Attempt& attempt) {
  return std::ranges::any_of(all.supervisors,
                             [&](auto& child) { return child.second.token == attempt.token; });
}

}  // namespace

bool started_here(const Attempt& attempt) {
  Children& all = children();
  const std::lock_guard guard(all.mutex);
  return has_supervisor(all, attempt);
}

bool awaited(const Attempt& attempt) {
  Children& all = children();
  const std::lock_guard guard(all.mutex);
  return has_supervisor(all, attempt) || std::ranges::any_of(all.orphans, [&](auto& job) {
           return job.second.folder == attempt.folder;
         });
}

}  // namespace kxm
