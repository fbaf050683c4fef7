// What the end of a job means.
#include <algorithm>
#include <utility>

#include "kxm/address.h"
#include "kxm/records_impl.h"
#include "kxm/scheduler_impl.h"

namespace kxm {

namespace fs = std::filesystem;

void Scheduler::watch() {
  std::vector<Attempt> attempts;
  for (auto& [unit, job] : running_jobs()) attempts.push_back(job->attempt);
  executor_.wait(attempts, options_.stopper ? options_.stopper->descriptor() : -1);
  collect();
}

bool Scheduler::collect() {
  const auto jobs = running_jobs();
  std::vector<Attempt> attempts;
  for (auto& [unit, job] : jobs) attempts.push_back(job->attempt);
  const std::vector<Seen> seen = executor_.poll(attempts);
  std::vector<std::tuple<Unit*, Job*, Ended>> ended;
  bool unclear = false;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (seen.at(i).is == Seen::Is::ended) {
      ended.emplace_back(jobs[i].first, jobs[i].second, *seen[i].ended);
    } else {
      unclear |= jobs[i].second->stopped && seen[i].is == Seen::Is::unknown;
      notice(*jobs[i].second, seen[i]);
    }
  }
  if (ended.empty()) {
    deliver();
    return unclear;
  }
  ended_ += static_cast<int>(ended.size());
  Transaction all(*state_.impl().db);
  for (auto& [unit, job, how] : ended) settle(*unit, *job, how);
  all.commit();
  std::erase_if(active_, [&](Unit* unit) { return done(*unit); });
  deliver();
  return unclear;
}

// That a job lives, and in a queue that it has begun, or is back in it.
void Scheduler::notice(Job& job, const Seen& seen) {
  if (seen.is != Seen::Is::unknown) {
    if (job.past) job.past = fs::exists(fs::path(job.attempt.folder) / kStop);
    if (std::exchange(job.untold, false)) {
      tell(Event::Kind::adopted, job);
      if (!events_.empty()) events_.back().waits = seen.is == Seen::Is::waiting;
    }
  }
  if (!executor_.queues()) return;
  if (seen.is != Seen::Is::unknown) job.begun = seen.is == Seen::Is::running;
  const std::string name =
      to_text({.xid = experiment_.xid, .wid = job.info.wid, .job = job.info.name});
  if (seen.is == Seen::Is::waiting && std::exchange(job.placed, false)) {
    ++job.requeues;
    say(name + " is back in the queue");
  }
  if (seen.is != Seen::Is::running || seen.where.empty()) return;
  // Between two looks it may have been there and have left again.
  if (job.placed && seen.requeues > job.requeues) {
    job.placed = false;
    say(name + " was back in the queue");
  }
  job.requeues = std::max(job.requeues, seen.requeues);
  if (job.placed) return;
  job.placed = true;
  tell(Event::Kind::placed, job);
  if (!events_.empty()) events_.back().text = seen.where;
}

void Scheduler::settle(Unit& unit, Job& job, Ended given) {
  Ended ended = judged(std::move(given), job.info.role, unit.dir);
  if (ended.how == End::stopped && !job.dropped.empty()) ended.reason = job.dropped;
  if (ended.how == End::stopped && ended.reason.empty() && !first_failure_.empty()) {
    ended.reason = first_failure_ + " failed";
  }
  // Nobody else notes an end without a record. One that began after all is seen again.
  const bool noted = fs::exists(fs::path(job.attempt.folder) / kEnded);
  if (!noted && !seal(job.attempt.folder, ended)) return;
  state_.impl().end_attempt(job.attempt, ended);
  JobState next = state_after(ended);
  if (next == JobState::stopped && !job.dropped.empty()) next = JobState::skipped;
  job.untold = job.begun = job.placed = false;
  job.requeues = 0;
  // It ended before this run, with no launcher to see it: `resume` runs it again.
  const bool ended_before = std::exchange(job.past, false) && options_.again;
  if (ended_before && job.dropped.empty() && next != JobState::finished) {
    next = JobState::waiting;
  }
  if (next == JobState::failed) {
    ++job.failures;
    if (!job.dropped.empty()) {
      next = JobState::skipped;
    } else if (job.failures <= plan_.retries && ended.how != End::not_started && !stopping_ &&
               !job.stopped) {
      next = JobState::waiting;
    }
  }
  if (next == JobState::waiting && (stopping_ || job.stopped)) next = JobState::stopped;
  const auto kind = next == JobState::waiting ? Event::Kind::retried : Event::Kind::ended;
  const Attempt attempt = std::exchange(job.attempt, {});
  set_state(unit, job, next);
  job.attempt.number = attempt.number;
  job.attempt.folder = attempt.folder;
  tell(kind, job, ended);
  if (next == JobState::failed) failed(unit, job);
}

// For good: what depends on it is not needed any more.
void Scheduler::failed(Unit& unit, const Job& job) {
  skip_dependents(unit);
  if (job.info.role == Role::train) {
    for (Job& other : unit.jobs) {
      if (other.info.role != Role::evaluate) continue;
      if (other.waiting()) set_state(unit, other, JobState::skipped);
      if (!other.running() || !other.dropped.empty()) continue;
      other.dropped = "the training of its unit failed";
      executor_.stop(std::span(&other.attempt, 1), Stop::gently);
    }
  }
  if (!plan_.fail_fast || stopping_) return;
  first_failure_ = to_text({.xid = experiment_.xid, .wid = unit.wid, .job = job.info.name});
  stop_units(Stop::gently, {});
}

void Scheduler::skip_dependents(Unit& unit) {
  bool more = true;
  while (more) {
    more = false;
    for (Job& job : unit.jobs) {
      if (!job.waiting()) continue;
      const bool vain =
          std::any_of(job.info.after.begin(), job.info.after.end(), [&](const std::string& name) {
            return std::any_of(unit.jobs.begin(), unit.jobs.end(), [&](const Job& other) {
              return other.info.name == name && (other.info.state == JobState::failed ||
                                                 other.info.state == JobState::skipped);
            });
          });
      if (!vain) continue;
      set_state(unit, job, JobState::skipped);
      more = true;
    }
  }
}

}  // namespace kxm
