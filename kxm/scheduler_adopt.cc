// The beginning of a run: what there is to do, and what earlier launchers started.
#include <algorithm>

#include "konfig/error.h"
#include "kxm/records_impl.h"
#include "kxm/scheduler_impl.h"
#include "kxm/text_impl.h"

namespace kxm {

namespace fs = std::filesystem;

// Units with something to do are queued; the others are only counted.
void Scheduler::load(int after) {
  if (after > 0) plan_ = state_.plan(experiment_.xid);  // who added units may have set limits
  const std::set<int> wanted(options_.wids.begin(), options_.wids.end());
  std::deque<Unit> found;
  Transaction all(*state_.impl().db);
  for (OpenJob& info : state_.impl().jobs(experiment_.xid, after)) {
    last_wid_ = std::max(last_wid_, info.wid);
    if (!wanted.empty() && !wanted.contains(info.wid)) continue;
    if (found.empty() || found.back().wid != info.wid) found.emplace_back().wid = info.wid;
    found.back().jobs.push_back({.info = std::move(info)});
  }
  for (Unit& unit : found) {
    if (options_.again && runs_again(unit.state(), !wanted.empty())) restart(unit);
    ++counts_[unit.state()];
    if (done(unit)) continue;
    unit.dir = state_.impl().unit_dir(experiment_.xid, unit.wid);
    queue_.push_back(&units_.emplace_back(std::move(unit)));
  }
  all.commit();
  if (plan_.fail_fast) fewest_failures_first();
}

// What did not finish waits again.
void Scheduler::restart(Unit& unit) {
  for (Job& job : unit.jobs) {
    if (job.info.state == JobState::finished || job.running() || job.waiting()) continue;
    job.failed = job.info.state == JobState::failed;
    job.info.state = JobState::waiting;
    state_.impl().set_state(experiment_.xid, unit.wid, job.info.place, JobState::waiting);
  }
}

// What a `resume` beside this launcher asks for.
void Scheduler::ask_again(const std::set<int>& wids) {
  for (const OpenJob& info : state_.impl().jobs(experiment_.xid)) {
    if (info.wid > last_wid_ || (!wids.empty() && !wids.contains(info.wid))) continue;
    again_[info.wid] |= !wids.empty();
  }
}

// Whether it was asked to stop and has not yet.
bool Scheduler::is_ending(int wid) const {
  return std::ranges::any_of(active_, [&](const Unit* unit) {
    return unit->wid == wid && std::ranges::any_of(unit->jobs, [](const Job& job) {
             return job.running() && job.stopped;
           });
  });
}

// Of these, units that run, wait or were not loaded yet need nothing; those that are to stop run
// again afterwards.
void Scheduler::run_again() {
  if (again_.empty()) return;
  if (stopping_ && !active_.empty()) return;
  stopping_.reset();
  asked_ = false;
  first_failure_.clear();
  const std::set<int> mine(options_.wids.begin(), options_.wids.end());
  std::deque<Unit> asked;
  for (OpenJob& info : state_.impl().jobs(experiment_.xid)) {
    if (!again_.contains(info.wid) || is_ending(info.wid)) continue;
    if (asked.empty() || asked.back().wid != info.wid) asked.emplace_back().wid = info.wid;
    asked.back().jobs.push_back({.info = std::move(info)});
  }
  for (Unit& unit : asked) {
    const bool named = again_.at(unit.wid);
    again_.erase(unit.wid);
    if (!done(unit) || !runs_again(unit.state(), named)) continue;
    if (mine.empty() || mine.contains(unit.wid)) --counts_[unit.state()];
    restart(unit);
    ++counts_[unit.state()];
    unit.dir = state_.impl().unit_dir(experiment_.xid, unit.wid);
    queue_.push_back(&units_.emplace_back(std::move(unit)));
  }
}

// The first failure stops everything: a unit that fails each time must not keep a `resume` from the
// units behind it.
void Scheduler::fewest_failures_first() {
  const std::map<int, int> failures = state_.impl().failures(experiment_.xid);
  for (Unit* unit : queue_) {
    const auto found = failures.find(unit->wid);
    if (found != failures.end()) unit->failures = found->second;
  }
  std::ranges::stable_sort(queue_, {}, &Unit::failures);
}

// `check_run` did so before; since then jobs may have turned out to be lost.
void Scheduler::check_secrets() {
  std::set<std::string> secrets;
  for (const Unit& unit : units_) {
    for (const Job& job : unit.jobs) {
      if (job.waiting()) unpack(job.info.secrets, [&](auto name) { secrets.emplace(name); });
    }
  }
  require_secrets({secrets.begin(), secrets.end()});
}

// Finds what earlier launchers started: attempts that the database knows, and those whose intent
// was noted just before the launcher died.
void Scheduler::adopt() {
  std::vector<std::pair<Unit*, Job*>> found;
  for (const Intent& intent : read_shared_intents(home_)) {
    intents_[{intent.wid, intent.job, intent.number}] = intent.token;
  }
  {
    Transaction all(*state_.impl().db);
    for (Unit& unit : units_) {
      for (Job& job : unit.jobs) {
        if (job.info.state == JobState::finished) continue;
        const bool later = adopt_next(unit, job);
        if (!later && !job.running()) continue;
        const auto attempts = state_.impl().attempts(experiment_.xid, unit.wid, job.info.name);
        if (attempts.empty() || attempts.back().ended) {
          set_state(unit, job, JobState::waiting);
          continue;
        }
        prepare(unit, job);
        job.attempt.number = attempts.back().number;
        job.attempt.token = attempts.back().token;
        job.attempt.folder = attempts.back().folder;
        job.past = job.untold = true;  // until it is seen to live
        set_state(unit, job, JobState::running);
        found.emplace_back(&unit, &job);
      }
    }
    prepared_.clear();
    all.commit();
  }
  for (auto& [unit, job] : found) {
    if (std::find(active_.begin(), active_.end(), unit) == active_.end()) active_.push_back(unit);
    std::erase(queue_, unit);
  }
}

bool Scheduler::adopt_next(Unit& unit, Job& job) {
  bool found = false;
  for (;;) {
    const int number = job.info.attempts + 1;
    const fs::path folder = attempt_folder(home_, unit.wid, job.info.name, number);
    const auto shared = intents_.find({unit.wid, job.info.name, number});
    if (shared == intents_.end() && !fs::exists(folder / kIntent)) return found;
    Attempt attempt;
    attempt.xid = experiment_.xid;
    attempt.wid = unit.wid;
    attempt.job = job.info.name;
    attempt.number = number;
    attempt.token = shared != intents_.end() ? shared->second : read_token(folder);
    attempt.folder = folder;
    state_.impl().add_attempt(attempt);
    job.info.attempts = number;
    found = true;
  }
}

}  // namespace kxm
