// How attempts are: by their own records, else by what Slurm says.
#include "base/clock.h"
#include "base/file.h"
#include "konfig/error.h"
#include "kxm/lock_impl.h"
#include "kxm/records_impl.h"
#include "kxm/slurm.h"
#include "kxm/slurm/lanes_impl.h"
#include "kxm/slurm/questions_impl.h"
#include "kxm/slurm/stop_impl.h"

namespace kxm {

namespace fs = std::filesystem;
using konfig::Error;
using slurm::Batch;
using slurm::Clock;
using slurm::Known;
using slurm::Memory;
using slurm::Queue;
using slurm::Task;

namespace {

std::optional<Ended> record_of(const Attempt& attempt) {
  const auto text = base::try_read_file(fs::path(attempt.folder) / kEnded);
  return text ? std::optional(ended_from_json(*text)) : std::nullopt;
}

// Whatever Slurm says: its runner lives, or the job without one.
bool holds_its_lock(const Attempt& attempt) {
  try {
    if (!fs::exists(attempt.folder)) return false;  // as of most that wait
    const fs::path run = slurm::last_run(attempt.folder);
    return is_locked(fs::path(attempt.folder) / kLock) ||
           (is_locked(run / kLock) && !fs::exists(run / kEnded));
  } catch (const std::system_error&) {  // not an answer
    return false;
  }
}

// Where an earlier start of it still lives, though Slurm has the task in its queue or on another
// node: it had lost sight of the first. "": nowhere. An answer may be from just before it began.
std::string lives_elsewhere(const Attempt& attempt, const Task& task, bool waits) {
  const bool one_node = !task.node.empty() && task.node.find_first_of("[,") == std::string::npos;
  if ((!waits && !one_node) || !holds_its_lock(attempt)) return "";
  constexpr double kSettled = 10;  // seconds
  const Processes held = processes_of(attempt.folder);
  if (held.host == task.node || base::now() - held.started < kSettled) return "";
  return held.host;
}

Seen alive(const Attempt& attempt, const Task& task) {
  const bool waits =
      task.state == "PENDING" || task.state.starts_with("REQUEUE") || task.state == "SPECIAL_EXIT";
  std::string where = "slurm " + std::to_string(task.array) + "_" + std::to_string(task.index);
  if (!task.node.empty()) where += " on " + task.node;
  if (task.state == "SUSPENDED" || task.state == "STOPPED") where += ", suspended";
  if (waits && task.reason != "None" && !task.reason.empty()) where += ", waits: " + task.reason;
  // Of a job without a limit Slurm counts down a year.
  constexpr std::int64_t kNoLimit = std::int64_t{360} * 86400;
  const std::int64_t left = slurm::parse_duration(task.left);
  const bool limited = !waits && left > 0 && left < kNoLimit;
  if (limited) where += ", " + task.left + " left";
  const std::string elsewhere = lives_elsewhere(attempt, task, waits);
  if (!elsewhere.empty()) where += "; an earlier start of it still runs on " + elsewhere;
  const bool runs = !waits || !elsewhere.empty();
  if (!runs) return {Seen::Is::waiting, {}, where};
  return {Seen::Is::running, {}, where, slurm::restarts_of(attempt.folder)};
}

// Whether the controller, which knows nothing of the batch, was started after Slurm had taken the
// attempt, or after it began, and so may have forgotten that: it saves what it knows later.
bool may_be_forgotten(const Attempt& attempt, const Batch& batch, double boot) {
  const fs::path answer = batch.file(".answer");  // gone: it was not much later than the question
  std::error_code none;
  const auto time = fs::last_write_time(fs::exists(answer) ? answer : batch.tasks(), none);
  const std::chrono::duration<double> submitted =
      std::chrono::file_clock::to_sys(time).time_since_epoch();
  constexpr double kWhole = 1;  // the start is told in whole seconds
  return boot + kWhole > std::max(submitted.count(), processes_of(attempt.folder).started);
}

// How an attempt ended that left no record. `task` is Slurm's last word; if it has none, `forgot`
// says whether its controller may have forgotten the attempt.
Ended ended_without_record(const Attempt& attempt, const Batch& batch, const Task* task,
                           bool forgot) {
  constexpr const char* kCancelled = "cancelled in Slurm";
  const fs::path run = slurm::last_run(attempt.folder);
  const bool begun = processes_of(attempt.folder).started > 0;
  const bool asked = fs::exists(fs::path(attempt.folder) / kStop);
  Ended ended;
  // The job's own supervisor may have seen its end.
  if (const auto text = base::try_read_file(run / kEnded)) ended = ended_from_json(*text);
  if (begun && ended.ended > 0 && ended.how == End::finished && !asked && !slurm::was_asked(run)) {
    return ended;
  }
  if (task && !task->node.empty()) ended.host = task->node;
  if (begun && ended.started == 0) ended.started = processes_of(run).started;
  if (task && task->started > 0) ended.started = task->started;
  if (task && task->ended > 0) ended.ended = task->ended;
  if (task) ended.code = task->signal != 0 ? task->signal : task->exit_code;
  const auto as = [&](End how, std::string reason = "") {
    ended.how = how;
    ended.reason = std::move(reason);
    return ended;
  };
  const std::string state = task ? task->state : "";
  if (asked) return as(End::stopped);
  if (state == "CANCELLED" || state == "DEADLINE") return as(End::stopped, kCancelled);
  if (state == "OUT_OF_MEMORY") return as(End::out_of_memory);
  // Slurm was to start it again, and its controller died before it had noted that.
  const bool again = fs::exists(run / slurm::kRequeue) || forgot;
  if (state == "TIMEOUT" && !again) return as(End::time_limit);
  // Not its fault, and Slurm did not queue it again.
  const bool failed_node =
      state == "NODE_FAIL" || state == "BOOT_FAIL" || state == "PREEMPTED" || state == "REVOKED";
  const bool taken = fs::exists(run / slurm::kTaken);
  if (again || failed_node || (task && taken)) return as(begun ? End::dropped : End::not_started);
  // Slurm keeps nothing of a task that is cancelled before it has begun.
  if (!task && (taken || !begun)) return as(End::stopped, kCancelled);
  const End how = begun ? End::lost : End::not_started;
  if (!task) {
    return as(how, "Slurm does not know job " + std::to_string(batch.id.value_or(0)) +
                       " any more, and it left no record");
  }
  return as(how, "Slurm says " + state + " with exit code " + std::to_string(task->exit_code) +
                     ", but it left no record; see " + batch.file(".out").string());
}

// Of one of which Slurm says nothing now: by its own records it waits.
bool seems_to_wait(const Attempt& attempt) {
  const fs::path run = slurm::last_run(attempt.folder);
  const bool begun = run != fs::path(attempt.folder);
  return !begun || (fs::exists(run / kEnded) && slurm::was_asked(run) && !holds_its_lock(attempt));
}

class Poll {
 public:
  Poll(const Slurm& slurm, Memory& m, std::span<const Attempt> attempts,
       std::chrono::seconds longest, bool records)
      : slurm_(slurm),
        m_(m),
        attempts_(attempts),
        longest_(longest),
        records_(records),
        out_(attempts.size()) {}

  std::vector<Seen> operator()() {
    const auto open = read_records();
    if (open.empty()) return std::move(out_);
    find_batches(open);
    const bool asks = m_.asking.allows();
    const Queue* queue = slurm::ask_queue(m_, slurm_.poll_seconds, longest_);
    if (queue && asks) slurm::cancel_again(m_, *queue);
    if (queue && asks && records_ && slurm_.max_parallel > 0) {
      slurm::share_again(m_, slurm_.max_parallel, slurm::batches_folder(attempts_.front()), *queue);
    }
    std::vector<std::size_t> gone;
    for (const std::size_t i : open) {
      if (look_in_queue(i, queue)) gone.push_back(i);
    }
    if (!gone.empty()) look_at_past(gone);
    return std::move(out_);
  }

 private:
  // Those that left none.
  std::vector<std::size_t> read_records() {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < attempts_.size(); ++i) {
      try {
        if (const auto ended = record_of(attempts_[i])) {
          out_[i] = {Seen::Is::ended, ended};
          m_.gone.erase(attempts_[i].token);
        } else {
          open.push_back(i);
        }
      } catch (const Error&) {  // half seen through the network: not an answer yet
      }
    }
    return open;
  }

  void find_batches(const std::vector<std::size_t>& open) {
    std::vector<Attempt> unknown;
    for (const std::size_t i : open) {
      if (!m_.attempts.contains(attempts_[i].token)) unknown.push_back(attempts_[i]);
    }
    m_.find_batches(unknown);
    // Before the question: a batch that is free now and not in the answer never came to be.
    for (const std::size_t i : open) {
      const auto found = m_.attempts.find(attempts_[i].token);
      if (found != m_.attempts.end()) find_id(m_.batches[found->second.first], nullptr);
    }
  }

  // True if Slurm had it and has it no more.
  bool look_in_queue(std::size_t i, const Queue* queue) {
    const Attempt& attempt = attempts_[i];
    const auto never = [&](std::string why) {
      out_[i] = {Seen::Is::ended, Ended{.how = End::not_started, .reason = std::move(why)}};
      return false;
    };
    const auto found = m_.attempts.find(attempt.token);
    if (found == m_.attempts.end()) return never("");  // decided on, but it never came to a batch
    Known& known = m_.batches[found->second.first];
    if (!known.batch.refused.empty()) return never(known.batch.refused);
    const bool identified = find_id(known, queue);
    if (!identified && known.free && known.batch.never_sent()) return never("");
    if (!queue || queue->asked <= known.since) return false;  // no answer that could know of it
    if (!identified) {
      if (known.free) never("");
      return false;
    }
    const auto task = queue->tasks.find(found->second);
    if (task != queue->tasks.end() && !slurm::is_over(task->second.state)) {
      out_[i] = alive(attempt, task->second);
      m_.gone.erase(attempt.token);
      if (records_) requeue_again(attempt, task->second);
      return false;
    }
    if (holds_its_lock(attempt)) {
      out_[i] = {Seen::Is::running};
      return false;
    }
    if (!records_) {
      guess(i, known.batch, task == queue->tasks.end() ? nullptr : &task->second);
      return false;
    }
    // Its record may be on the way from another host.
    const auto since = m_.gone.try_emplace(attempt.token, Clock::now()).first->second;
    return Clock::now() - since >= slurm::in_seconds(slurm_.record_seconds);
  }

  // A controller that was killed may take for running what ended to be queued again: it had been
  // told, and forgot. It looks at its nodes only every half an hour.
  void requeue_again(const Attempt& attempt, const Task& task) {
    constexpr auto kSure = std::chrono::seconds(30);
    const fs::path run = slurm::last_run(attempt.folder);
    const bool over = task.state == "RUNNING" && run != fs::path(attempt.folder) &&
                      fs::exists(run / kEnded) && slurm::was_asked(run) && !holds_its_lock(attempt);
    if (!over) {
      m_.handed_back.erase(attempt.token);
      return;
    }
    auto& since = m_.handed_back.try_emplace(attempt.token, Clock::now()).first->second;
    if (Clock::now() - since < kSure) return;
    since = Clock::now();
    slurm::requeue_if_restarts(task, slurm::restarts_of(attempt.folder));
  }

  // For people, at once: a record may be on the way, unless it is known why there is none.
  void guess(std::size_t i, const Batch& batch, const Task* task) {
    const bool unknown = !task && !m_.queue->id_of(batch.token);
    const bool forgot = unknown && may_be_forgotten(attempts_[i], batch, boot().value_or(0));
    const Ended ended = ended_without_record(attempts_[i], batch, task, forgot);
    const bool known = ended.how == End::stopped || ended.how == End::finished;
    if (ended.reason.empty() || known) {
      out_[i] = {Seen::Is::ended, ended};
    } else {
      out_[i].where = ended.reason;
    }
  }

  std::optional<double> boot() {
    if (!boot_) boot_ = slurm::ask_boot_time();
    return boot_;
  }

  void look_at_past(const std::vector<std::size_t>& gone) {
    const auto batch_of = [&](std::size_t i) -> const Batch& {
      return m_.batches.at(m_.attempts.at(attempts_[i].token).first).batch;
    };
    std::map<std::string, std::int64_t> arrays;
    for (const std::size_t i : gone) arrays[batch_of(i).token] = *batch_of(i).id;
    slurm::Past past;
    try {
      past = slurm::ask_past(m_, arrays);
    } catch (const Error&) {  // not an answer
      return;
    }
    for (const std::size_t i : gone) {
      const Attempt& attempt = attempts_[i];
      const auto tasks = past.find(batch_of(i).token);
      if (tasks == past.end()) {
        out_[i] = {};
        continue;
      }
      auto task = tasks->second.find(m_.attempts.at(attempt.token).second);
      if (task == tasks->second.end()) task = tasks->second.find(-1);
      const Task* last = task == tasks->second.end() ? nullptr : &task->second;
      const bool unknown = tasks->second.empty();  // all of its batch
      if (unknown && !boot()) {
        out_[i] = {};
        continue;
      }
      m_.gone.erase(attempt.token);
      if (last && !slurm::is_over(last->state)) {
        out_[i] = alive(attempt, *last);
        continue;
      }
      const bool forgot = unknown && may_be_forgotten(attempt, batch_of(i), *boot());
      out_[i] = {Seen::Is::ended, ended_without_record(attempt, batch_of(i), last, forgot)};
      // Slurm may have it in its queue again after all.
      if (out_[i].ended->how == End::dropped) {
        m_.to_cancel.try_emplace(m_.attempts.at(attempt.token), Stop::now);
      }
      if (const auto ended = record_of(attempt)) out_[i].ended = ended;
    }
  }

  const Slurm& slurm_;
  Memory& m_;
  std::span<const Attempt> attempts_;
  std::chrono::seconds longest_;
  bool records_;  // those that are missing are waited for
  std::optional<double> boot_ = {};
  std::vector<Seen> out_;
};

}  // namespace

std::vector<Seen> Slurm::poll(std::span<const Attempt> attempts) const {
  Memory& m = slurm::memory();
  const std::lock_guard guard(m.mutex);
  return Poll(*this, m, attempts, std::chrono::seconds(60), true)();
}

QueueLook look_on_slurm(std::span<const Attempt> attempts) {
  Memory& m = slurm::memory();
  const std::lock_guard guard(m.mutex);
  const Slurm slurm = {.poll_seconds = 1};
  auto seen = Poll(slurm, m, attempts, std::chrono::seconds(5), false)();
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const bool silent = seen[i].is == Seen::Is::unknown && seen[i].where.empty();
    if (silent && seems_to_wait(attempts[i])) seen[i].is = Seen::Is::waiting;
  }
  return {.seen = std::move(seen), .trouble = m.silence};
}

namespace {

Round round_of(const fs::path& run) {
  Round out = {.started = processes_of(run).started};
  const auto text = base::try_read_file(run / kEnded);
  out.ended = text ? ended_from_json(*text).ended : out.started;  // its node died
  return out;
}

}  // namespace

std::vector<Round> earlier_rounds_on_slurm(const std::string& attempt_folder) {
  std::vector<Round> out;
  for (int number = 1; fs::exists(slurm::run_folder(attempt_folder, number + 1)); ++number) {
    out.push_back(round_of(slurm::run_folder(attempt_folder, number)));
  }
  return out;
}

std::optional<Round> last_round_on_slurm(const std::string& attempt_folder) {
  const fs::path run = slurm::last_run(attempt_folder);
  return run == fs::path(attempt_folder) ? std::nullopt : std::optional(round_of(run));
}

void Slurm::wait(std::span<const Attempt> running, int wake) const {
  // Records are looked for more often than Slurm is asked, but not so that a file server notices.
  wait_for(wake, std::chrono::milliseconds(300 + running.size() / 5));
}

}  // namespace kxm
