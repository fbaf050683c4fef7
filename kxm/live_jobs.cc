#include "kxm/live_jobs.h"

#include <unistd.h>

#include <filesystem>
#include <map>
#include <optional>

#include "base/number_in.h"
#include "kxm/address.h"
#include "kxm/environment_impl.h"
#include "kxm/lock_impl.h"
#include "kxm/records_impl.h"

namespace kxm {
namespace {

namespace fs = std::filesystem;

// "" for a process of another user, and for one that has none.
std::string token_of(int pid) {
  const auto all = environment_of(pid).value_or(std::map<std::string, std::string>());
  const auto found = all.find("KXM_TOKEN");
  return found == all.end() ? "" : found->second;
}

// A process group that belongs to one of these tokens.
std::optional<std::pair<int, Address>> find_group(const std::map<std::string, Address>& tokens) {
  std::error_code error;
  for (fs::directory_iterator it("/proc", error), end; !error && it != end; it.increment(error)) {
    const auto pid = base::number_in<int>(it->path().filename().string());
    if (!pid) continue;
    const auto job = tokens.find(token_of(*pid));
    if (job != tokens.end()) return std::pair(::getpgid(*pid), job->second);
  }
  return std::nullopt;
}

}  // namespace

bool is_stopping(const JobRow& job) {
  if (job.state != JobState::running || job.trainer || job.attempts.empty()) return false;
  std::error_code unknown;
  const AttemptRow& last = job.attempts.back();
  return !last.ended && fs::exists(fs::path(last.folder) / kStop, unknown);
}

namespace {

// A job that holds its lock, "3/train"; "" if none does.
std::string locked_job(const fs::path& home) {
  std::error_code error;
  for (const auto& unit : fs::directory_iterator(home / "jobs", error)) {
    for (const auto& job : fs::directory_iterator(unit.path(), error)) {
      for (const auto& attempt : fs::directory_iterator(job.path(), error)) {
        // A supervisor keeps its lock for a moment after it has noted the end.
        if (!is_locked(attempt.path() / kLock) || look(attempt.path()).ended) continue;
        return unit.path().filename().string() + "/" + job.path().filename().string();
      }
    }
  }
  return "";
}

}  // namespace

std::string live_text(const State& state, int xid) {
  const auto experiment = state.experiment(xid);
  if (!experiment) return "";
  if (experiment->units[JobState::running] == 0) {
    // A state may be behind: one of a backup, or a second one.
    const std::string job = locked_job(experiment->home);
    if (job.empty()) return "";
    const std::string number = std::to_string(xid);
    return number + "/" + job + " runs, which this state does not know: first `kd resume " +
           number + " --waiting`, then `kd stop " + number + "`";
  }
  std::map<std::string, Address> tokens;
  for (const UnitRow& unit : state.units(xid, {.states = {JobState::running}})) {
    for (const JobRow& job : unit.jobs) {
      const Address address = {.xid = xid, .wid = unit.wid, .job = job.what.name};
      if (job.trainer) {
        return to_text(address) + ": " + job.why() + "; let it end first: `kill " +
               std::to_string(*job.trainer) + "`";
      }
      for (const AttemptRow& attempt : job.attempts) {
        if (!attempt.ended) tokens[attempt.token] = address;
      }
    }
  }
  if (tokens.empty() || missing_text(*experiment).empty()) return "";
  const auto live = find_group(tokens);
  if (!live) return "";
  return "its records are gone, but " + to_text(live->second) + " runs; end it first: `kill -- -" +
         std::to_string(live->first) + "`";
}

}  // namespace kxm
