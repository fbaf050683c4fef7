// What a run is asked for while it goes on: to stop units, or to add some.
#include <algorithm>

#include "kxm/scheduler_impl.h"

namespace kxm {

namespace {

UnitIs seen_as(JobState state) {
  switch (state) {
    case JobState::finished:
      return UnitIs::finished;
    case JobState::failed:
      return UnitIs::failed;
    case JobState::running:
      return UnitIs::running;
    case JobState::waiting:
      return UnitIs::waiting;
    default:
      return UnitIs::stopped;
  }
}

}  // namespace

void Scheduler::obey() {
  std::optional<Stop> signalled;
  if (options_.stopper) {
    options_.stopper->heard();
    signalled = options_.stopper->how();
    if (signalled && signalled != stopping_) {
      asked_ = true;
      again_.clear();
      Transaction all(*state_.impl().db);
      stop_units(*signalled, {});
      all.commit();
    }
  }
  // One that was told to end goes on with nothing.
  for (const Request& request : take_requests(home_, /*resumes=*/!signalled)) {
    using What = Request::What;
    const std::set<int> wids(request.wids.begin(), request.wids.end());
    Transaction all(*state_.impl().db);
    if (request.what == What::resume) {
      ask_again(wids);
    } else {
      asked_ = asked_ || wids.empty();
      std::erase_if(again_, [&](auto& unit) { return wids.empty() || wids.contains(unit.first); });
      stop_units(request.what == What::stop_now ? Stop::now : Stop::gently, wids);
    }
    all.commit();
  }
  if (again_.empty()) return;
  Transaction all(*state_.impl().db);
  run_again();
  all.commit();
}

void Scheduler::steer() {
  constexpr std::chrono::seconds kPause(2);
  const auto now = std::chrono::steady_clock::now();
  if (!options_.steer || stopping_ || (ended_ == 0 && now - steered_ < kPause)) return;
  ended_ = 0;
  steered_ = now;
  std::deque<PlannedUnit> planned;
  Progress progress;
  for (UnitRow& row : state_.units(experiment_.xid)) {
    PlannedUnit& unit = planned.emplace_back();
    unit.wid = row.wid;
    unit.identity = row.identity;
    unit.args = row.args;
    unit.dir = row.dir;
    for (JobRow& job : row.jobs) unit.jobs.push_back(std::move(job.what));
    progress.push_back({&unit, seen_as(row.state)});
  }
  Steering::Changes changes = options_.steer(progress);
  if (!changes.added.empty()) {
    Plan more = plan_;
    more.files.clear();  // kept at the launch
    more.units = std::move(changes.added);
    state_.record(more);  // and taken up with all that is recorded meanwhile
  }
  if (!changes.stopped.empty()) {
    Transaction all(*state_.impl().db);
    stop_units(Stop::gently, {changes.stopped.begin(), changes.stopped.end()},
               "the orchestrator ended it");
    all.commit();
  }
}

void Scheduler::stop_units(Stop how, const std::set<int>& wids, const std::string& because) {
  if (wids.empty()) stopping_ = how;
  const auto meant = [&](const Unit& unit) { return wids.empty() || wids.contains(unit.wid); };
  std::vector<Attempt> attempts;
  for (Unit& unit : units_) {
    if (!meant(unit)) continue;
    for (Job& job : unit.jobs) {
      if (!job.running()) continue;
      job.stopped = true;
      job.dropped = because;
      attempts.push_back(job.attempt);
    }
  }
  // First: what cannot be recorded, on a full disk, is stopped all the same.
  executor_.stop(attempts, how);
  for (Unit& unit : units_) {
    if (!meant(unit)) continue;
    for (Job& job : unit.jobs) {
      if (!job.waiting()) continue;
      // What was not started again is as it was.
      set_state(unit, job,
                !because.empty() ? JobState::skipped
                : job.failed     ? JobState::failed
                                 : JobState::stopped);
    }
  }
  std::erase_if(queue_, [&](Unit* unit) { return done(*unit); });
}

void Scheduler::stop(Stop how, const std::vector<int>& wids) {
  adopt();
  Transaction all(*state_.impl().db);
  stop_units(how, {wids.begin(), wids.end()});
  all.commit();
  settle_unclear();
}

// Jobs that live note how they end. Of others, such as one that is still on its way into a queue or
// left it without a record, no launcher would.
void Scheduler::settle_unclear() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (collect() && std::chrono::steady_clock::now() < end) {
    std::vector<Attempt> stopped;
    for (auto& [unit, job] : running_jobs()) {
      if (job->stopped) stopped.push_back(job->attempt);
    }
    executor_.wait(stopped, -1);
  }
}

}  // namespace kxm
