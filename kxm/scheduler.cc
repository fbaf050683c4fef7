// One run of an experiment.
#include "kxm/scheduler_impl.h"

#include <algorithm>
#include <utility>

#include "konfig/error.h"
#include "kxm/records_impl.h"

namespace kxm {

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
  executor_.attend({.wake = options_.stopper ? options_.stopper->descriptor() : -1,
                    .say = [this](const std::string& text) { say(text); },
                    .unclear = [this](const Attempt& attempt) { unclear_.insert(attempt.token); }});
}

Scheduler::~Scheduler() { executor_.attend({}); }

bool Scheduler::done(const Unit& unit) const {
  return unit.state() != JobState::running && unit.state() != JobState::waiting;
}

RunResult Scheduler::run() {
  adopt();
  collect();
  check_secrets();
  deliver();
  bool left = false;
  for (;;) {
    if (options_.stopper && options_.stopper->left()) {
      left = true;
      break;
    }
    check_records();
    state_.follow(experiment_);
    if (options_.wids.empty() && state_.next_wid(experiment_.xid) > last_wid_ + 1) load(last_wid_);
    obey();
    steer();
    start();
    deliver();
    if (queue_.empty() && active_.empty() && again_.empty() &&
        state_.next_wid(experiment_.xid) <= last_wid_ + 1) {
      break;
    }
    if (options_.on_tick) options_.on_tick();
    watch();
  }
  return {.units = counts_, .stopped = asked_, .left = left};
}

// Without them nothing can be started, and nobody learns how a job ends.
void Scheduler::check_records() const {
  std::error_code unclear;  // of a disk that does not answer, too
  if (std::filesystem::exists(home_ / kHeading, unclear) || unclear) return;
  const std::string xid = std::to_string(experiment_.xid);
  throw konfig::Error(konfig::ErrorKind::value,
                      "the records of experiment " + xid + " are gone from " + home_.string() +
                          "; nothing more is started. If the folder was moved: `kd state rebuild "
                          "FOLDER`, then `kd resume " +
                          xid + "`");
}

std::vector<std::pair<Scheduler::Unit*, Scheduler::Job*>> Scheduler::running_jobs() {
  std::vector<std::pair<Unit*, Job*>> out;
  for (Unit* unit : active_) {
    for (Job& job : unit->jobs) {
      if (job.running()) out.emplace_back(unit, &job);
    }
  }
  return out;
}

void Scheduler::set_state(Unit& unit, Job& job, JobState state) {
  if (job.info.state == state) return;
  --counts_[unit.state()];
  job.info.state = state;
  ++counts_[unit.state()];
  state_.impl().set_state(experiment_.xid, unit.wid, job.info.place, state, job.failed);
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

void Scheduler::say(const std::string& text) {
  if (!options_.on_event) return;
  events_.push_back({.kind = Event::Kind::note, .text = text, .units = counts_});
}

void Scheduler::deliver() {
  for (const Event& event : std::exchange(events_, {})) options_.on_event(event);
}

}  // namespace kxm
