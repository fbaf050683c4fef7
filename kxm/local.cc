// The executor of this machine.
#include "kxm/local.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <exception>

#include "base/file.h"
#include "konfig/error.h"
#include "kxm/machine_impl.h"
#include "kxm/records_impl.h"
#include "kxm/state.h"
#include "kxm/supervisor_impl.h"

namespace kxm {

namespace fs = std::filesystem;
using konfig::Error;
using konfig::ErrorKind;

namespace {

fs::path machine_folder(const Local& local) {
  return (local.machine.empty() ? state_folder() : fs::path(local.machine)) / "machines";
}

std::string gibibytes(std::int64_t bytes) {
  return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1 << 30));
}

[[noreturn]] void too_much(const PlannedJob& job, const std::string& wants,
                           const std::string& has) {
  throw Error(ErrorKind::value, "job '" + job.name + "': asks for " + wants +
                                    ", but this machine has " + has +
                                    "; lower its requirements, or use --on=slurm");
}

// A process that ends lets its lock go a moment before it can be collected: until then, what looks
// lost may have something to say.
Seen seen(const Attempt& attempt) {
  Seen out = look(attempt.folder);
  const bool unseen = out.is == Seen::Is::ended && out.ended->ended == 0;
  if (!unseen || out.ended->how == End::not_started) return out;
  reap();
  return awaited(attempt) ? Seen{.is = Seen::Is::running} : look(attempt.folder);
}

}  // namespace

void Local::check(std::span<const PlannedJob> jobs) const {
  const Machine machine = this_machine();
  for (const PlannedJob& job : jobs) {
    const Resources& r = job.resources;
    if (r.replicas > 1) {
      throw Error(ErrorKind::unsupported,
                  "job '" + job.name + "': asks for " + std::to_string(r.replicas) +
                      " replicas, but on this machine a job is one process; use replicas=1, or a "
                      "sweep for independent copies");
    }
    if (!r.container.empty()) {
      throw Error(ErrorKind::unsupported,
                  "job '" + job.name + "': container '" + r.container +
                      "': on this machine jobs run without one; leave it out, or use --on=slurm");
    }
    if (r.cpus > static_cast<double>(machine.cpus.size())) {
      too_much(job, fmt::format("{} CPUs", r.cpus), std::to_string(machine.cpus.size()));
    }
    if (r.gpus > static_cast<int>(machine.gpus.size())) {
      too_much(job, std::to_string(r.gpus) + (r.gpus == 1 ? " GPU" : " GPUs"),
               std::to_string(machine.gpus.size()));
    }
    if (r.memory > machine.memory) {
      too_much(job, gibibytes(r.memory) + " of memory", gibibytes(machine.memory));
    }
  }
}

bool Local::fits(std::span<const PlannedJob> jobs) const {
  if (std::none_of(jobs.begin(), jobs.end(), [](auto& job) { return asks(job.resources); }))
    return true;
  const Machine machine = this_machine();
  std::vector<Slots> all;
  for (const PlannedJob& job : jobs) {
    auto slots = take_slots(machine_folder(*this), machine, job.resources);
    if (!slots) return false;
    all.push_back(std::move(*slots));
  }
  return true;
}

std::vector<bool> Local::submit(std::span<const Attempt> attempts) const {
  std::vector<bool> out;
  const bool any = std::any_of(attempts.begin(), attempts.end(),
                               [](auto& attempt) { return asks(attempt.what.resources); });
  const Machine machine = any ? this_machine() : Machine();
  for (const Attempt& attempt : attempts) {
    const auto slots = take_slots(machine_folder(*this), machine, attempt.what.resources);
    out.push_back(slots.has_value());
    if (slots) start_supervised(attempt, *slots, grace_seconds);
  }
  return out;
}

std::vector<Seen> Local::poll(std::span<const Attempt> attempts) const {
  reap();
  std::vector<Seen> out;
  for (const Attempt& attempt : attempts) out.push_back(seen(attempt));
  return out;
}

void Local::stop(std::span<const Attempt> attempts, Stop how) const {
  std::exception_ptr problem;
  for (const Attempt& attempt : attempts) {
    if (look(attempt.folder).is != Seen::Is::running) continue;
    // Before the signal: what ends from now on was asked to. Its supervisor looks for it, too.
    try {
      base::File(fs::path(attempt.folder) / kStop, O_WRONLY | O_CREAT)
          .write(how == Stop::now ? "now" : "");
    } catch (const base::FileError&) {
      problem = std::current_exception();  // a full disk: it ends all the same, but as failed
    }
    const Processes processes = processes_of(attempt.folder);
    if (processes.job > 1) ::kill(-processes.job, how == Stop::now ? SIGKILL : SIGTERM);
  }
  if (problem) std::rethrow_exception(problem);
}

void Local::wait(std::span<const Attempt> running, int wake) const {
  // Jobs of other launchers end, and free their place, without a word to this one.
  const bool own = std::all_of(running.begin(), running.end(), started_here);
  const int longest = own && !running.empty() ? 250 : 50;
  std::array<pollfd, 2> files = {pollfd{ended_descriptor(), POLLIN, 0}, {wake, POLLIN, 0}};
  ::poll(files.data(), files.size(), longest);
}

}  // namespace kxm
