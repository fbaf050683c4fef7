// kd logs: what jobs printed.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <thread>

#include "cli/errors.h"
#include "cli/experiments.h"
#include "cli/format.h"
#include "cli/log_tails.h"
#include "cli/queued.h"
#include "cli/shown.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "cli/verb.h"
#include "cli/whole_number.h"
#include "konfig/json.h"
#include "kxm/launch.h"

namespace cli {
namespace {

namespace fs = std::filesystem;
using kxm::Address;
using kxm::AttemptRow;
using kxm::JobRow;
using kxm::JobState;

// Short waits in place of inotify, which sees nothing of files that grow on another machine.
constexpr auto kPause = std::chrono::milliseconds(100);
constexpr int kPausesPerLook = 5;     // the logs are read more often than the state
constexpr int kPausesPerQueue = 100;  // and that more often than a cluster is asked

struct LogsOptions {
  std::string what = "";
  bool follow = false;
  std::optional<int> attempt = {};
  std::optional<std::size_t> tail = {};
  Format format = Format::text;
};

bool may_write(JobState state) { return state == JobState::running || state == JobState::waiting; }

class Logs {
 public:
  Logs(const kxm::State& state, Address address, const LogsOptions& options)
      : state_(state), address_(std::move(address)), options_(options) {
    address_.wid = kxm::find_unit(state_, address_).wid;
    look();
    for (const JobRow& job : jobs_) width_ = std::max(width_, job.what.name.size());
  }

  int print_all() {
    std::size_t found = 0;
    for (const JobRow& job : jobs_) {
      const AttemptRow* attempt = chosen(job);
      if (!attempt) {
        remark(name_of(job) + ": no log yet: the job is " + std::string(to_string(job.state)));
        continue;
      }
      if (!attempt->ended && !fs::exists(log_of(attempt->folder))) {
        const std::string gone = missing_records();
        remark(name_of(job) + ": " +
               (gone.empty() ? "no log yet: it was submitted and has not begun" : gone));
        continue;
      }
      ++found;
      if (!options_.attempt && job.attempts.size() > 1) {
        remark(name_of(job) + ": attempt " + std::to_string(attempt->number) +
               "; --attempt=1 shows the first");
      }
      print_whole(job, *attempt);
      warn(job, *attempt);
    }
    return found > 0 ? kFine : kFailure;
  }

  int follow() {
    for (int pauses = 0;; ++pauses) {
      const bool looks = pauses % kPausesPerLook == 0;
      if (looks) look();
      if (pauses % kPausesPerQueue == 0) find_ended();
      follow_new_attempts();
      tails_.read([this](const std::string& job, std::string_view line) { on_line(job, line); });
      // What a job wrote before it ended was all there when it was seen to have ended.
      if (looks && (all_ended() || nothing_starts_them())) break;
      finish_output();
      std::this_thread::sleep_for(kPause);
    }
    for (const JobRow& job : jobs_) {
      finish(job.what.name);
      const std::string why = job.state == JobState::failed ? ": " + job.why() : "";
      finish_output();
      remark(name_of(job) + ": " + std::string(to_string(job.state)) + why);
      if (const AttemptRow* attempt = chosen(job); attempt && why.empty()) warn(job, *attempt);
    }
    return kFine;
  }

 private:
  void look() {
    const kxm::UnitRow unit = state_.unit(address_.xid, *address_.wid);
    if (address_.job.empty()) {
      jobs_ = unit.jobs;
    } else {
      jobs_ = {kxm::find_job(unit, address_)};
    }
  }

  // What a cluster ended before it could note that: no launcher may be there to do so.
  void find_ended() {
    auto experiment = state_.experiment(address_.xid);
    std::vector<kxm::UnitRow> units(1);
    units[0].jobs = jobs_;
    units[0].dir = state_.unit(address_.xid, *address_.wid).dir;
    if (experiment) look_in_queue(*experiment, units);
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (!may_write(units[0].jobs[i].state)) jobs_[i] = units[0].jobs[i];
    }
  }

  std::string name_of(const JobRow& job) const {
    return to_text(Address{.xid = address_.xid, .wid = address_.wid, .job = job.what.name});
  }

  // The attempt that was asked for, or the last one; none if nothing was started yet.
  const AttemptRow* chosen(const JobRow& job) const {
    if (!options_.attempt) return job.attempts.empty() ? nullptr : &job.attempts.back();
    for (const AttemptRow& attempt : job.attempts) {
      if (attempt.number == *options_.attempt) return &attempt;
    }
    throw konfig::Error(konfig::ErrorKind::key,
                        name_of(job) + " has no attempt " + std::to_string(*options_.attempt) +
                            "; it has " + std::to_string(job.attempts.size()));
  }

  std::int64_t start_of(const AttemptRow& attempt) const {
    return options_.tail ? start_of_last_lines(log_of(attempt.folder).string(), *options_.tail) : 0;
  }

  bool is_raw() const { return jobs_.size() == 1 && options_.format == Format::text; }

  void print_whole(const JobRow& job, const AttemptRow& attempt) {
    const std::string file = log_of(attempt.folder).string();
    if (!is_raw()) {
      attempts_[job.what.name] = attempt.number;
      tails_.add(job.what.name, file, start_of(attempt));
      return finish(job.what.name);
    }
    std::ifstream in(file, std::ios::binary);
    if (!in && never_started(attempt)) return;
    if (!in) throw Failure(file + ": the log cannot be read" + missing());
    in.seekg(start_of(attempt));
    for (std::string block(1 << 16, '\0'); in;) {
      in.read(block.data(), static_cast<std::streamsize>(block.size()));
      print(std::string_view(block).substr(0, static_cast<std::size_t>(in.gcount())));
    }
  }

  std::string missing_records() const {
    const auto experiment = state_.experiment(address_.xid);
    return experiment ? missing_text(*experiment) : "";
  }

  std::string missing() const {
    const std::string text = missing_records();
    return text.empty() ? "; was it removed?" : ": " + text;
  }

  static bool never_started(const AttemptRow& attempt) {
    return attempt.ended && attempt.ended->how == kxm::End::not_started;
  }

  // What the end of the attempt says of its log.
  void warn(const JobRow& job, const AttemptRow& attempt) {
    if (!attempt.ended || attempt.ended->reason.empty()) return;
    finish_output();
    remark(name_of(job) + ": " +
           shown(never_started(attempt) ? why_text(attempt) : attempt.ended->reason));
  }

  void follow_new_attempts() {
    for (const JobRow& job : jobs_) {
      const AttemptRow* attempt = job.attempts.empty() ? nullptr : chosen(job);
      const std::string& name = job.what.name;
      if (!attempt || attempts_[name] == attempt->number) continue;
      const bool first = attempts_[name] == 0;
      if (!first) {
        finish(name);
        finish_output();
        remark(name_of(job) + ": attempt " + std::to_string(attempt->number));
      }
      attempts_[name] = attempt->number;
      tails_.add(name, log_of(attempt->folder).string(), first ? start_of(*attempt) : 0);
    }
  }

  bool has_ended(const JobRow& job) const {
    if (!options_.attempt || job.attempts.empty()) return !may_write(job.state);
    return chosen(job)->ended.has_value();
  }
  bool all_ended() const {
    return std::ranges::all_of(jobs_, [this](const JobRow& job) { return has_ended(job); });
  }

  // They wait, and no launcher is there to start them.
  bool nothing_starts_them() const {
    if (std::ranges::any_of(jobs_, [](auto& job) { return job.state == JobState::running; })) {
      return false;
    }
    const auto experiment = state_.experiment(address_.xid);
    if (experiment && kxm::launcher_of(*experiment)) return false;
    remark("nothing runs experiment " + std::to_string(address_.xid) + " now; `kd resume " +
           std::to_string(address_.xid) + "` goes on with it");
    return true;
  }

  void finish(const std::string& job) {
    tails_.finish(job, [this](const std::string& of, std::string_view line) { on_line(of, line); });
  }

  void on_line(const std::string& job, std::string_view line) {
    if (options_.format == Format::json) {
      const konfig::Dict record = {
          {"job", job}, {"attempt", attempts_[job]}, {"line", valid_utf8(line)}};
      return print(konfig::to_json(record) + "\n");
    }
    std::string text;
    if (jobs_.size() > 1) {
      text = ink_out(Ink::dim, job + std::string(width_ - job.size(), ' ') + " | ");
    }
    print(text.append(line) + "\n");
  }

  const kxm::State& state_;
  Address address_;  // with the number of the unit
  const LogsOptions& options_;
  std::vector<JobRow> jobs_;
  std::size_t width_ = 0;                // of the longest name
  std::map<std::string, int> attempts_;  // which of each job is read
  LogTails tails_;
};

int logs(Session&, const LogsOptions& options) {
  const Address address = address_of(options.what);
  const kxm::State state = open_state();
  Logs logs(state, address, options);
  return options.follow ? logs.follow() : logs.print_all();
}

const AddVerb<LogsOptions> verb = {{
    .name = "logs",
    .place = 32,
    .summary = "Print what launched jobs printed",
    .help = R"(
The log of the last attempt. With several jobs each line has its job in front:
`train | step 10`. Ctrl-C ends following and leaves the jobs alone.

Examples:
  kd logs 17/3
  kd logs 17/3/train --tail=20 -f
  kd logs 17/3/train --attempt=1)",
    .options =
        [](Options& add, LogsOptions& o) {
          add.value("WHAT", o.what, "WHAT", "17/3 or 17/3/train; 17 if it has one unit",
                    experiments)
              ->required();
          add.flag("-f,--follow", o.follow, "Go on until the jobs end");
          add.value("--attempt", o.attempt, "N", "Which attempt, from 1; by default the last")
              ->check(at_least(1));
          add.value("--tail", o.tail, "N", "Only the last lines")->check(at_least(0));
          add.choice("--format", o.format, "The notation; json is an object for each line");
        },
    .run = logs,
}};

}  // namespace
}  // namespace cli
