// A job whose supervisor was killed.
#include "kxm/orphan_impl.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <system_error>

#include "base/file.h"
#include "kxm/records_impl.h"
#include "kxm/text_impl.h"

namespace kxm {

namespace fs = std::filesystem;

namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

void note_end(const Orphan& orphan, int status, const rusage& usage) {
  const fs::path folder = orphan.folder;
  const bool stopped = fs::exists(folder / kStop);
  const Ended ended = {.how = orphan.over ? End::time_limit : end_of(status, stopped),
                       .code = code_of(status),
                       .host = host(),
                       .started = processes_of(folder).started,
                       .ended = now(),
                       .cpu_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime),
                       .peak_memory = usage.ru_maxrss * 1024ll};
  // On a full disk there is place in what the supervisor reserved.
  base::File(folder / kReserved, O_WRONLY).write(ended_json(ended));
  fs::rename(folder / kReserved, folder / kEnded);
}

void keep_to_limit(pid_t job, Orphan& orphan) {
  if (orphan.deadline == 0 || now() < orphan.deadline) return;
  ::kill(-job, orphan.over ? SIGKILL : SIGTERM);
  orphan.deadline = orphan.over ? 0 : now() + orphan.grace;
  orphan.over = true;
}

}  // namespace

bool collect(pid_t job, Orphan& orphan) {
  int status = 0;
  rusage usage = {};
  const pid_t result = ::wait4(job, &status, WNOHANG, &usage);
  if (result == 0) keep_to_limit(job, orphan);
  if (result != job) return result < 0;
  ::kill(-job, SIGKILL);  // what it left behind
  try {
    note_end(orphan, status, usage);
  } catch (const std::system_error&) {  // its folder is gone: it counts as lost
  }
  return true;
}

End end_of(int status, bool stopped) {
  if (stopped) return End::stopped;
  if (WIFSIGNALED(status)) return End::signal;
  return WEXITSTATUS(status) == 0 ? End::finished : End::exit_code;
}

int code_of(int status) { return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status); }

}  // namespace kxm
