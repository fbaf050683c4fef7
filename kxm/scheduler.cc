// One run of an experiment.
#include "kxm/scheduler_impl.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/file.h"
#include "konfig/error.h"
#include "kxm/machine_impl.h"
#include "kxm/ports_impl.h"
#include "kxm/records_impl.h"
#include "kxm/text_impl.h"

namespace kxm {

namespace fs = std::filesystem;
using konfig::Error;
using konfig::ErrorKind;

JobState Scheduler::Unit::state() const {
  JobState out = JobState::finished;
  for (const Job& job : jobs) out = std::max(out, job.info.state);
  return out;
}

Scheduler::Scheduler(State& state, ExperimentRow experiment, ExecutorRef executor,
                     const RunOptions& options)
    : state_(state),
      experiment_(std::move(experiment)),
      home_(experiment_.home),
      plan_(state.plan(experiment_.xid)),
      executor_(executor),
      options_(options) {
  load(0);
}

bool Scheduler::done(const Unit& unit) const {
  return unit.state() != JobState::running && unit.state() != JobState::waiting;
}

// ---- The beginning ------------------------------------------------------------------------------

// Units with something to do are queued; the others are only counted.
void Scheduler::load(int after) {
  const std::set<int> wanted(options_.wids.begin(), options_.wids.end());
  std::deque<Unit> found;
  Transaction all(*state_.impl().db);
  for (OpenJob& info : state_.impl().jobs(experiment_.xid, after)) {
    last_wid_ = std::max(last_wid_, info.wid);
    if (!wanted.empty() && !wanted.contains(info.wid)) continue;
    if (found.empty() || found.back().wid != info.wid) found.emplace_back().wid = info.wid;
    const bool again = info.state == JobState::failed || info.state == JobState::stopped ||
                       info.state == JobState::skipped;
    if (options_.again && again) {
      info.state = JobState::waiting;
      state_.impl().set_state(experiment_.xid, info.wid, info.place, JobState::waiting);
    }
    found.back().jobs.push_back({.info = std::move(info)});
  }
  for (Unit& unit : found) {
    ++counts_[unit.state()];
    if (done(unit)) continue;
    unit.dir = state_.impl().unit_dir(experiment_.xid, unit.wid);
    queue_.push_back(&units_.emplace_back(std::move(unit)));
  }
  all.commit();
}

void Scheduler::check() {
  std::vector<PlannedJob> jobs;
  for (const Unit& unit : units_) {
    for (const Job& job : unit.jobs) {
      if (job.waiting()) jobs.push_back({.name = job.info.name, .resources = job.info.resources});
    }
  }
  executor_.check(jobs);
  Query query(*state_.impl().db, "SELECT DISTINCT secrets FROM jobs WHERE xid = ? AND state = ?",
              experiment_.xid, static_cast<int>(JobState::waiting));
  while (query.next()) {
    unpack(query.text(0), [](std::string_view name) {
      if (std::getenv(std::string(name).c_str())) return;
      throw Error(ErrorKind::value, "xp.secrets: the environment variable " + std::string(name) +
                                        " is not set; export it before the launch");
    });
  }
}

// Finds what earlier launchers started: attempts that the database knows, and those whose intent
// was noted just before the launcher died.
void Scheduler::adopt() {
  std::vector<std::pair<Unit*, Job*>> found;
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
    tell(Event::Kind::adopted, *job);
  }
  deliver();
}

bool Scheduler::adopt_next(Unit& unit, Job& job) {
  bool found = false;
  for (;;) {
    const int number = job.info.attempts + 1;
    const fs::path folder = attempt_folder(home_, unit.wid, job.info.name, number);
    if (!fs::exists(folder / kIntent)) return found;
    Attempt attempt;
    attempt.xid = experiment_.xid;
    attempt.wid = unit.wid;
    attempt.job = job.info.name;
    attempt.number = number;
    attempt.token = read_token(folder);
    attempt.folder = folder;
    state_.impl().add_attempt(attempt);
    job.info.attempts = number;
    found = true;
  }
}

// ---- Starting -----------------------------------------------------------------------------------

RunResult Scheduler::run() {
  adopt();
  first_look_ = true;
  collect();
  first_look_ = false;
  check();
  bool left = false;
  for (;;) {
    if (options_.stopper && options_.stopper->left()) {
      left = true;
      break;
    }
    if (options_.wids.empty() && state_.next_wid(experiment_.xid) > last_wid_ + 1) load(last_wid_);
    obey();
    steer();
    start();
    deliver();
    if (queue_.empty() && active_.empty() && state_.next_wid(experiment_.xid) <= last_wid_ + 1)
      break;
    if (options_.on_tick) options_.on_tick();
    watch();
  }
  return {.units = counts_, .stopped = asked_, .left = left};
}

// How many further units like this one may begin.
int Scheduler::limit_left(const Unit& unit) const {
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
  for (Unit* unit : active_) start_unit(*unit);
  while (!queue_.empty() && limit_left(*queue_.front()) > 0) {
    Unit* unit = queue_.front();
    // In order: a large unit is not overtaken for ever by small ones.
    if (!start_unit(*unit)) break;
    queue_.pop_front();
    active_.push_back(unit);
  }
  submit();
  std::erase_if(active_, [&](Unit* unit) { return done(*unit); });
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
    if (free) out.push_back(&job);
  }
  // Evaluators wait for what a training writes, never the other way round.
  std::stable_partition(out.begin(), out.end(),
                        [](Job* job) { return job->info.role != Role::evaluate; });
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
  for (auto& [unit, job] : jobs) {
    if (!unit->dir.empty()) fs::create_directories(unit->dir);
    write_intent(job->attempt);
  }
  std::vector<Attempt> attempts;
  {
    Transaction all(*state_.impl().db);
    for (auto& [unit, job] : jobs) {
      state_.impl().add_attempt(job->attempt);
      job->info.attempts = job->attempt.number;
      set_state(*unit, *job, JobState::running);
      attempts.push_back(job->attempt);
    }
    all.commit();
  }
  const std::vector<bool> taken = executor_.submit(attempts);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    auto& [unit, job] = jobs[i];
    if (taken.at(i)) {
      tell(Event::Kind::started, *job);
    } else {
      set_state(*unit, *job, JobState::waiting);
    }
  }
}

// ---- Watching -----------------------------------------------------------------------------------

std::vector<std::pair<Scheduler::Unit*, Scheduler::Job*>> Scheduler::running_jobs() {
  std::vector<std::pair<Unit*, Job*>> out;
  for (Unit* unit : active_) {
    for (Job& job : unit->jobs) {
      if (job.running()) out.emplace_back(unit, &job);
    }
  }
  return out;
}

void Scheduler::watch() {
  std::vector<Attempt> attempts;
  for (auto& [unit, job] : running_jobs()) attempts.push_back(job->attempt);
  executor_.wait(attempts, options_.stopper ? options_.stopper->descriptor() : -1);
  collect();
}

void Scheduler::collect() {
  const auto jobs = running_jobs();
  std::vector<Attempt> attempts;
  for (auto& [unit, job] : jobs) attempts.push_back(job->attempt);
  const std::vector<Seen> seen = executor_.poll(attempts);
  std::vector<std::tuple<Unit*, Job*, Ended>> ended;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (seen.at(i).is == Seen::Is::ended) {
      ended.emplace_back(jobs[i].first, jobs[i].second, *seen[i].ended);
    }
  }
  if (ended.empty()) return;
  ended_ += static_cast<int>(ended.size());
  Transaction all(*state_.impl().db);
  for (auto& [unit, job, how] : ended) settle(*unit, *job, how);
  all.commit();
  std::erase_if(active_, [&](Unit* unit) { return done(*unit); });
  deliver();
}

void Scheduler::settle(Unit& unit, Job& job, Ended given) {
  const Ended ended = judged(std::move(given), job.info.role, unit.dir);
  const bool never = ended.how == End::not_started && ended.reason.empty();
  // One that began after all is seen again.
  if ((never || ended.how == End::lost) && !seal(job.attempt.folder, ended)) return;
  state_.impl().end_attempt(job.attempt, ended);
  JobState next = state_after(ended);
  auto kind = Event::Kind::ended;
  if (next == JobState::stopped && job.dropped) next = JobState::skipped;
  // Lost before this run: what `resume` is to run again, like any failure before it.
  if (next == JobState::failed && ended.how == End::lost && first_look_ && options_.again) {
    next = JobState::waiting;
    kind = Event::Kind::retried;
  }
  if (next == JobState::failed) {
    ++job.failures;
    if (job.dropped) {
      next = JobState::skipped;
    } else if (job.failures <= plan_.retries && ended.how != End::not_started && !stopping_ &&
               !job.stopped) {
      next = JobState::waiting;
      kind = Event::Kind::retried;
    }
  }
  if (next == JobState::waiting && (stopping_ || job.stopped)) next = JobState::stopped;
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
      if (!other.running() || other.dropped) continue;
      other.dropped = true;
      executor_.stop(std::span(&other.attempt, 1), Stop::gently);
    }
  }
  if (plan_.fail_fast && !stopping_) stop_units(Stop::gently, {});
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

// ---- Stopping -----------------------------------------------------------------------------------

void Scheduler::obey() {
  if (options_.stopper) {
    options_.stopper->heard();
    const auto how = options_.stopper->how();
    if (how && how != stopping_) {
      asked_ = true;
      Transaction all(*state_.impl().db);
      stop_units(*how, {});
      all.commit();
    }
  }
  for (const StopRequest& request : take_requests(home_)) {
    asked_ = asked_ || request.wids.empty();
    Transaction all(*state_.impl().db);
    stop_units(request.how, {request.wids.begin(), request.wids.end()});
    all.commit();
  }
}

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
    stop_units(Stop::gently, {changes.stopped.begin(), changes.stopped.end()});
    all.commit();
  }
}

void Scheduler::stop_units(Stop how, const std::set<int>& wids) {
  if (wids.empty()) stopping_ = how;
  std::vector<Attempt> attempts;
  for (Unit& unit : units_) {
    if (!wids.empty() && !wids.contains(unit.wid)) continue;
    for (Job& job : unit.jobs) {
      if (job.waiting()) set_state(unit, job, JobState::stopped);
      if (!job.running()) continue;
      job.stopped = true;
      attempts.push_back(job.attempt);
    }
  }
  std::erase_if(queue_, [&](Unit* unit) { return done(*unit); });
  executor_.stop(attempts, how);
}

void Scheduler::stop(Stop how, const std::vector<int>& wids) {
  adopt();
  Transaction all(*state_.impl().db);
  stop_units(how, {wids.begin(), wids.end()});
  all.commit();
}

// ---- What is known ------------------------------------------------------------------------------

void Scheduler::set_state(Unit& unit, Job& job, JobState state) {
  if (job.info.state == state) return;
  --counts_[unit.state()];
  job.info.state = state;
  ++counts_[unit.state()];
  state_.impl().set_state(experiment_.xid, unit.wid, job.info.place, state);
  if (state != JobState::running) job.attempt.what = {};
}

void Scheduler::tell(Event::Kind kind, const Job& job, const std::optional<Ended>& ended) {
  if (!options_.on_event) return;
  events_.push_back({.kind = kind,
                     .wid = job.info.wid,
                     .job = job.info.name,
                     .state = job.info.state,
                     .attempt = job.attempt.number,
                     .folder = job.attempt.folder,
                     .ended = ended,
                     .units = counts_});
}

void Scheduler::deliver() {
  for (const Event& event : std::exchange(events_, {})) options_.on_event(event);
}

}  // namespace kxm
