// Which job starts when.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "kxm/lock_impl.h"
#include "kxm/machine_impl.h"
#include "kxm/ports_impl.h"
#include "kxm/records_impl.h"
#include "kxm/scheduler_impl.h"
#include "kxm/text_impl.h"

namespace kxm {

// How many further units like this one may begin.
int Scheduler::limit_left(const Unit& unit) const {
  // Its next failure would stop those that never failed.
  const auto better = [&](const Unit* other) { return other->failures < unit.failures; };
  if (unit.failures > 0 && std::ranges::any_of(active_, better)) return 0;
  if (executor_.queues()) return 1;  // it keeps to max_parallel itself
  const int begun = static_cast<int>(active_.size());
  if (plan_.max_parallel > 0) return plan_.max_parallel - begun;
  const auto asking = [](const Unit& u) {
    return std::any_of(u.jobs.begin(), u.jobs.end(),
                       [](const Job& job) { return asks(job.info.resources); });
  };
  if (asking(unit)) return 1;  // as many as fit
  return std::all_of(active_.begin(), active_.end(), [&](Unit* u) { return asking(*u); }) ? 1 : 0;
}

void Scheduler::start() {
  if (!executor_.accepts()) return;
  for (Unit* unit : active_) start_unit(*unit);
  while (!queue_.empty() && limit_left(*queue_.front()) > 0) {
    Unit* unit = queue_.front();
    // In order: a large unit is not overtaken for ever by small ones.
    if (!start_unit(*unit)) {
      if (active_.empty() && !std::exchange(told_to_wait_, true)) {
        say("unit " + std::to_string(unit->wid) +
            " waits: other experiments have the CPUs, GPUs or memory that it asks for");
      }
      break;
    }
    queue_.pop_front();
    active_.push_back(unit);
  }
  submit();
  std::erase_if(active_, [&](Unit* unit) { return done(*unit); });
}

// A queue would start an evaluator in a place that its training needs, for which it then waits.
bool Scheduler::waits_for_training(const Unit& unit, const Job& job) const {
  if (!executor_.queues() || job.info.role != Role::evaluate) return false;
  return std::ranges::any_of(unit.jobs, [](const Job& other) {
    return other.info.role == Role::train && (other.waiting() || (other.running() && !other.begun));
  });
}

std::vector<Scheduler::Job*> Scheduler::ready(Unit& unit) {
  std::vector<Job*> out;
  for (Job& job : unit.jobs) {
    if (!job.waiting()) continue;
    const bool free =
        std::all_of(job.info.after.begin(), job.info.after.end(), [&](const std::string& name) {
          return std::any_of(unit.jobs.begin(), unit.jobs.end(), [&](const Job& other) {
            return other.info.name == name && other.info.state == JobState::finished;
          });
        });
    if (free && !waits_for_training(unit, job)) out.push_back(&job);
  }
  // Evaluators wait for what a training writes, never the other way round.
  std::stable_partition(out.begin(), out.end(),
                        [](Job* job) { return job->info.role != Role::evaluate; });
  return out;
}

// Of a unit that was added later: at the start all were there.
std::string Scheduler::unset_secret(const std::vector<Job*>& jobs) {
  std::string out;
  for (const Job* job : jobs) {
    unpack(job->info.secrets, [&](std::string_view name) {
      if (out.empty() && !std::getenv(std::string(name).c_str())) out = name;
    });
  }
  return out;
}

// False if nothing of it could be started for want of place.
bool Scheduler::start_unit(Unit& unit) {
  const auto jobs = ready(unit);
  if (jobs.empty()) {
    // What the rest waits for was stopped in an earlier run, and is not run now.
    if (unit.state() == JobState::waiting) {
      for (Job& job : unit.jobs) {
        if (job.waiting()) set_state(unit, job, JobState::skipped);
      }
    }
    return true;
  }
  const bool trains =
      std::ranges::any_of(jobs, [](const Job* job) { return job->info.role == Role::train; });
  if (trains && is_training_in(unit.dir)) {
    leave(unit, "a training that no launcher started runs in " + unit.dir);
    return true;
  }
  if (const std::string secret = unset_secret(jobs); !secret.empty()) {
    const std::string name = to_text(Address{.xid = experiment_.xid, .wid = unit.wid});
    leave(unit, "the environment variable " + secret +
                    " is not set here; export it, then `kd resume " + name + "`");
    return true;
  }
  std::vector<PlannedJob> wanted;
  for (const Job* job : jobs) {
    wanted.push_back({.name = job->info.name, .resources = job->info.resources});
  }
  const bool asking = std::any_of(wanted.begin(), wanted.end(),
                                  [](const PlannedJob& job) { return asks(job.resources); });
  if (!asking || executor_.queues()) {
    for (Job* job : jobs) prepare(unit, *job);
    return true;
  }
  if (executor_.fits(wanted)) {
    for (Job* job : jobs) prepare(unit, *job);
    submit();
    return true;
  }
  bool any = false;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!executor_.fits(std::span(wanted).subspan(i, 1))) break;
    prepare(unit, *jobs[i]);
    submit();
    any |= jobs[i]->running();
  }
  return any;
}

// It cannot run now: `resume` goes on with it later.
void Scheduler::leave(Unit& unit, const std::string& why) {
  for (Job& job : unit.jobs) {
    if (job.waiting()) set_state(unit, job, job.failed ? JobState::failed : JobState::stopped);
  }
  say("unit " + std::to_string(unit.wid) + ": left alone: " + why);
}

void Scheduler::prepare(Unit& unit, Job& job) {
  Attempt& attempt = job.attempt;
  const bool offered = job.waiting() && !attempt.token.empty();  // there was no place for it
  if (!offered) {
    attempt = {};
    attempt.xid = experiment_.xid;
    attempt.wid = unit.wid;
    attempt.job = job.info.name;
    attempt.number = job.info.attempts + 1;
    attempt.token = new_token();
    attempt.unit_dir = unit.dir;
    attempt.folder = attempt_folder(home_, unit.wid, job.info.name, attempt.number);
    attempt.cwd = plan_.cwd;
  }
  attempt.what = state_.impl().job(experiment_.xid, unit.wid, job.info.place);
  if (!executor_.queues()) choose_ports(attempt.what.argv);  // a queue starts it elsewhere
  prepared_.emplace_back(&unit, &job);
}

void Scheduler::submit() {
  if (prepared_.empty()) return;
  const auto jobs = std::exchange(prepared_, {});
  // The intent comes first, in both places: from here on the attempt is found again.
  std::vector<Attempt> attempts;
  for (auto& [unit, job] : jobs) attempts.push_back(job->attempt);
  const double when = now();  // the same in both
  write_intents(home_, attempts, experiment_.executor, when);
  {
    Transaction all(*state_.impl().db);
    for (auto& [unit, job] : jobs) {
      state_.impl().add_attempt(job->attempt, when);
      job->failed = false;
      job->info.attempts = job->attempt.number;
      set_state(*unit, *job, JobState::running);
    }
    all.commit();
  }
  const std::vector<bool> taken = executor_.submit(attempts);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    auto& [unit, job] = jobs[i];
    if (taken.at(i)) {
      tell(executor_.queues() ? Event::Kind::submitted : Event::Kind::started, *job);
      if (!events_.empty()) events_.back().unclear = unclear_.contains(job->attempt.token);
    } else {
      set_state(*unit, *job, JobState::waiting);
    }
  }
  unclear_.clear();
}

}  // namespace kxm
