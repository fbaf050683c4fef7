// kd status: what was launched, and how it is.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <thread>

#include "base/count_text.h"
#include "base/join.h"
#include "base/lines.h"
#include "cli/errors.h"
#include "cli/experiments.h"
#include "cli/format.h"
#include "cli/job_text.h"
#include "cli/launch_view.h"
#include "cli/live_lines.h"
#include "cli/plot.h"
#include "cli/queued.h"
#include "cli/shown.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "cli/verb.h"
#include "cli/whole_number.h"
#include "konfig/json.h"
#include "kxm/damaged.h"
#include "kxm/launch.h"
#include "kxm/live_jobs.h"

namespace cli {
namespace {

using konfig::List;
using konfig::Value;
using kxm::Address;
using kxm::Counts;
using kxm::ExperimentRow;
using kxm::JobRow;
using kxm::JobState;
using kxm::UnitRow;

constexpr int kUsualRows = 20;
constexpr auto kPause = std::chrono::milliseconds(500);

struct StatusOptions {
  std::string what = "";  // "": all experiments
  bool watch = false;
  bool all = false;
  int limit = kUsualRows;
  std::vector<std::string> states = {};
  Format format = Format::text;
};

// Where not all units can be shown, these come first.
constexpr JobState kOrder[] = {JobState::failed,  JobState::running, JobState::stopped,
                               JobState::skipped, JobState::waiting, JobState::finished};

// What a look at the state found.
struct Look {
  std::string text;     // in the format that was asked for
  std::string summary;  // one line
  bool done = true;     // nothing will change any more
};

JobState wanted_state(const std::string& name) {
  if (const auto state = kxm::state_of(name)) return *state;
  std::vector<std::string> names;
  for (JobState state : kOrder) names.emplace_back(to_string(state));
  throw UsageError("--state: expected " + base::join_or(names) + ", got '" + name + "'");
}

// As a variable of a shell leaves it that is not set.
std::string not_empty(const std::string& what) {
  return what.empty() ? "expected 17, 17/3 or 17/3/train, got ''" : "";
}

// Of a list: what follows its last comma.
std::vector<Candidate> states(const Typing& typing) {
  const std::string before = typing.value.substr(0, typing.value.rfind(',') + 1);
  std::vector<Candidate> out;
  for (JobState state : kOrder) out.push_back({before + std::string(to_string(state))});
  return out;
}

std::vector<JobState> states_of(const StatusOptions& options) {
  std::vector<JobState> out;
  for (auto& name : options.states) out.push_back(wanted_state(name));
  return out;
}

// How many units of these states there are.
int count(const Counts& counts, const std::vector<JobState>& states) {
  if (states.empty()) return counts.total();
  int out = 0;
  for (JobState state : states) out += counts[state];
  return out;
}

int limit_of(const StatusOptions& options) {
  return options.all || options.format == Format::json ? 0 : options.limit;
}

bool is_over(const ExperimentRow& e) {
  if (e.units[JobState::running] > 0) return false;
  return e.units[JobState::waiting] == 0 || !kxm::launcher_of(e);
}

// Whether the cluster has something to do for this unit, with a launcher or without.
bool is_queued(const UnitRow& unit) {
  return std::ranges::any_of(unit.jobs, [](const JobRow& job) {
    const bool open = job.state == JobState::running || job.state == JobState::waiting;
    return open && !job.attempts.empty() && !job.attempts.back().ended;
  });
}

// ---- All experiments ----

// 0: the output is for a program, which gets all of it.
std::size_t columns() {
  return static_cast<std::size_t>(terminal_size(STDOUT_FILENO, {.columns = 0}).columns);
}

// For the terminal; then what matters least is left out.
bool is_too_wide(const Table& table) { return columns() > 0 && table.width() > columns(); }

Table experiments_table(const std::vector<ExperimentRow>& all, bool whose) {
  Table table;
  table.add({"XID", "TITLE", "UNITS", "LAUNCHED", "BY", "ON"});
  for (const ExperimentRow& e : all) {
    table.add({std::to_string(e.xid), shown(e.title),
               e.recorded ? counts_text(e.units) : "never launched", time_text(e.created),
               !whose             ? ""
               : e.author.empty() ? shown(e.host)
                                  : shown(e.author + "@" + e.host),
               whose ? e.executor : ""});
  }
  table.drop_empty_columns();
  return table;
}

std::string experiments_text(const std::vector<ExperimentRow>& all, int limit) {
  Table table = experiments_table(all, /*whose=*/true);
  if (is_too_wide(table)) table = experiments_table(all, /*whose=*/false);
  table.fit(columns());
  std::string out = table.text(/*heading=*/true);
  if (limit > 0 && all.size() == static_cast<std::size_t>(limit) && all.back().xid > 1) {
    out += "only the newest " + std::to_string(limit) + ": --all shows every one\n";
  }
  return out;
}

Look look_at_all(const kxm::State& state, const StatusOptions& options) {
  auto all = state.experiments(limit_of(options));
  Look out;
  std::string left_out;
  for (auto& damaged : kxm::damaged_texts(state)) left_out += shown(damaged) + "\n";
  Counts counts;
  for (ExperimentRow& e : all) {
    std::vector<UnitRow> queued;
    if (e.executor == "slurm" && e.units[JobState::running] > 0) {
      queued = state.units(e.xid, {.states = {JobState::running}});
      look_in_queue(e, queued);
    }
    out.done = out.done && std::ranges::none_of(queued, is_queued) && is_over(e);
    for (JobState s : kOrder) counts[s] += e.units[s];
  }
  out.summary = base::count_text(std::ssize(all), "experiment") + ": " + counts_text(counts);
  if (options.format == Format::json) {
    List list;
    for (const ExperimentRow& e : all) list.push_back(to_dict(e));
    out.text = konfig::to_json(list);
  } else if (all.empty()) {
    out.text =
        left_out.empty() ? "nothing was launched yet; `kd launch --help` says how\n" : left_out;
  } else {
    out.text = experiments_text(all, limit_of(options)) + left_out;
  }
  return out;
}

// ---- One experiment ----

// By their numbers; if there are more than fit, failed ones first. `queued` are those that the
// database takes for running, as their cluster sees them; the counts of `e` fit to that.
std::vector<UnitRow> units_of(const kxm::State& state, const ExperimentRow& e,
                              const StatusOptions& options, std::vector<UnitRow> queued) {
  const std::vector<JobState> states = states_of(options);
  const int limit = limit_of(options);
  const auto wanted = [&](JobState s) {
    return states.empty() || std::ranges::find(states, s) != states.end();
  };
  std::vector<UnitRow> out;
  if (limit == 0 || count(e.units, states) <= limit) {
    out = state.units(e.xid, {.states = states});
    std::erase_if(out, [&](const UnitRow& unit) {
      return std::ranges::binary_search(queued, unit.wid, {}, &UnitRow::wid);
    });
    std::ranges::copy_if(queued, std::back_inserter(out), wanted, &UnitRow::state);
    std::ranges::sort(out, {}, &UnitRow::wid);
    return out;
  }
  for (JobState s : kOrder) {
    if (e.units[s] == 0 || !wanted(s)) continue;
    const auto room = [&] { return limit - static_cast<int>(out.size()); };
    for (const UnitRow& unit : queued) {
      if (unit.state == s && room() > 0) out.push_back(unit);
    }
    const bool all = s == JobState::running && !queued.empty();
    if (all || room() <= 0) continue;
    for (auto& unit : state.units(e.xid, {.states = {s}, .limit = room()})) {
      out.push_back(std::move(unit));
    }
  }
  return out;
}

// "train, eval"; with their states where these differ.
std::string jobs_text(const UnitRow& unit) {
  const bool same =
      std::ranges::all_of(unit.jobs, [&](const JobRow& job) { return job.state == unit.state; });
  return base::join(unit.jobs, ", ", [&](const JobRow& job) {
    std::string text = shown(job.what.name);
    if (!same) text += " " + std::string(to_string(job.state));
    std::vector<std::string> more;
    int requeues = 0;
    for (auto& attempt : job.attempts) requeues += attempt.requeues;
    if (job.attempts.size() > 1) {
      more.push_back(base::count_text(std::ssize(job.attempts), "attempt"));
    }
    if (requeues > 0) more.push_back(base::count_text(requeues, "requeue"));
    return more.empty() ? text : text + " (" + base::join(more, ", ") + ")";
  });
}

std::string reason_text(const UnitRow& unit) {
  std::vector<std::string> out;
  for (const JobRow& job : unit.jobs) {
    const bool why = job.state == JobState::failed || job.trainer;
    const std::string text = why                     ? job.why()
                             : kxm::is_stopping(job) ? "asked to stop"
                                                     : warning_of(job);
    if (text.empty()) continue;
    out.push_back((unit.jobs.size() > 1 ? job.what.name + ": " : "") + text);
  }
  return shown(base::join(out, ", "));
}

std::string took_text(double seconds) { return seconds > 0 ? duration_text(seconds) : ""; }

// Of a cluster: "slurm 12_3 on n2, 1:59:30 left", "slurm 12_4, waits: Resources".
std::string where_text(const UnitRow& unit) {
  std::vector<std::string> out;
  for (const JobRow& job : unit.jobs) {
    if (job.attempts.empty() || job.attempts.back().ended) continue;
    const std::string& where = job.attempts.back().where;
    if (where.empty()) continue;
    out.push_back((unit.jobs.size() > 1 ? job.what.name + ": " : "") + where);
  }
  return base::join(out, "; ");
}

Table units_table(const std::vector<UnitRow>& units, const ExperimentRow& e, bool folders) {
  Table table;
  table.add({"UNIT", "STATE", "SWEPT", "JOBS", "TIME", "WHERE", "REASON", "FOLDER"});
  for (const UnitRow& unit : units) {
    table.add({to_text(Address{.xid = e.xid, .wid = unit.wid}), state_text(unit.state),
               short_args_text(unit.args), jobs_text(unit), took_text(seconds_of(unit)),
               e.executor == "local" ? "" : where_text(unit), reason_text(unit),
               folders ? path_text(unit.dir) : ""});
  }
  table.drop_empty_columns();
  return table;
}

// Folders mostly say once more what was swept: where there is no room for all, they are left out.
std::string units_text(const std::vector<UnitRow>& units, const ExperimentRow& e) {
  Table table = units_table(units, e, /*folders=*/true);
  if (is_too_wide(table)) table = units_table(units, e, /*folders=*/false);
  table.fit(columns());
  return table.text(/*heading=*/true);
}

std::string who_text(const ExperimentRow& e, const std::optional<kxm::Launcher>& launcher) {
  std::string out = "launched " + time_text(e.created);
  if (!e.author.empty()) out += " by " + shown(e.author);
  out += " on " + e.host + " (" + e.executor + ")";
  if (launcher) {
    out += ", run by process " + std::to_string(launcher->pid) + " on " + launcher->host;
  }
  out += "\n";
  if (!e.dir.empty()) out += "folder: " + path_text(e.dir) + "\n";
  if (!e.tags.empty()) out += "tags: " + shown(base::join(e.tags, ", ")) + "\n";
  if (!e.note.empty()) out += "note: " + shown(e.note) + "\n";
  if (const std::string missing = missing_text(e); !missing.empty()) out += missing + "\n";
  return out;
}

// What to type next. `queued`: so many wait in the queue of a cluster, which starts them.
std::string advice(const ExperimentRow& e, const std::vector<UnitRow>& units, int queued,
                   bool launcher) {
  const std::string xid = std::to_string(e.xid);
  if (!missing_text(e).empty()) return "";
  for (const UnitRow& unit : units) {
    if (unit.state != JobState::failed) continue;
    return "`kd logs " + xid + "/" + std::to_string(unit.wid) + "` shows why, `kd resume " + xid +
           "` runs again what failed\n";
  }
  if (launcher) return "";
  if (e.units[JobState::waiting] > queued) {
    return "nothing starts the rest: `kd resume " + xid + "` does\n";
  }
  if (e.units[JobState::stopped] > 0) {
    return "`kd resume " + xid + "` goes on with what was stopped\n";
  }
  return "";
}

Look look_at_experiment(const kxm::State& state, int xid, const StatusOptions& options) {
  ExperimentRow e = kxm::find_experiment(state, xid);
  Look out;
  std::vector<UnitRow> queued;
  if (e.executor == "slurm") queued = state.units(xid, {.states = {JobState::running}});
  look_in_queue(e, queued);
  out.done = std::ranges::none_of(queued, is_queued) && is_over(e);
  const auto waiting = std::ranges::count_if(queued, [](const UnitRow& unit) {
    return unit.state == JobState::waiting && is_queued(unit);
  });
  const std::vector<UnitRow> units = units_of(state, e, options, std::move(queued));
  out.summary = std::to_string(xid) + (e.title.empty() ? "" : " " + shown(e.title)) + ": " +
                (e.recorded ? counts_text(e.units) : "never launched");
  if (options.format == Format::json) {
    out.text = konfig::to_json(to_dict(e, units));
    return out;
  }
  const auto launcher = kxm::launcher_of(e);
  out.text = ink_out(Ink::bold, out.summary) + "\n" + who_text(e, launcher);
  if (!units.empty()) out.text += units_text(units, e);
  const int left_out = count(e.units, states_of(options)) - static_cast<int>(units.size());
  if (left_out > 0) {
    out.text +=
        base::count_text(left_out, "more unit") + ": --all shows them, --state=running some\n";
  }
  out.text += advice(e, units, static_cast<int>(waiting), launcher.has_value());
  return out;
}

// ---- One unit, or a job of it ----

Look look_at_unit(const kxm::State& state, const Address& address, const StatusOptions& options) {
  ExperimentRow e = kxm::find_experiment(state, address.xid);
  std::vector<UnitRow> units = {kxm::find_unit(state, address)};
  const bool submitted = units.front().state == JobState::running;
  look_in_queue(e, units);
  const UnitRow& unit = units.front();
  const JobRow* job = address.job.empty() ? nullptr : &kxm::find_job(unit, address);
  const JobState now = job ? job->state : unit.state;
  Look out;
  out.done =
      now != JobState::running &&
      (now != JobState::waiting || (!(submitted && is_queued(unit)) && !kxm::launcher_of(e)));
  out.summary = to_text(address) + ": " + std::string(to_string(now));
  if (options.format == Format::json) {
    out.text = konfig::to_json(job ? Value(to_dict(*job)) : Value(to_dict(unit, address.xid)));
    return out;
  }
  if (job) {
    out.text = job_text(*job);
    return out;
  }
  Table table;
  if (unit.args.size() > 0) table.add({"swept", args_text(unit.args)});
  if (!unit.dir.empty()) table.add({"folder", path_text(unit.dir)});
  out.text =
      ink_out(Ink::bold, to_text(address)) + ": " + state_text(unit.state) + "\n" + table.text();
  for (const JobRow& each : unit.jobs) out.text += job_text(each);
  return out;
}

Look look(const StatusOptions& options) {
  const kxm::State state = open_state();
  const auto refuse_states = [&](const char* of) {
    if (options.states.empty()) return;
    throw UsageError(std::string("--state chooses among the units of an experiment, not among ") +
                     of + ": kd status 17 --state=" + base::join(options.states, ","));
  };
  if (options.what.empty()) {
    refuse_states("experiments");
    return look_at_all(state, options);
  }
  const Address address = address_of(options.what);
  if (address.wid) refuse_states("jobs");
  if (address.wid) return look_at_unit(state, address, options);
  return look_at_experiment(state, address.xid, options);
}

// ---- The verb ----

// Until nothing changes any more. Programs get a line of JSON for each change; without a terminal
// there is a line for each change, too.
int watch(const StatusOptions& options) {
  const bool json = options.format == Format::json;
  LiveLines live;
  for (std::string last;;) {
    const Look now = look(options);
    const bool news = now.summary != last;
    if (json && news) {
      print(now.text + "\n");
      finish_output();
    } else if (!json && live.is_live()) {
      live.show(base::lines_of(now.text));
    } else if (!json && news && !now.done) {
      live.print(now.summary);
    }
    if (now.done) {
      live.clear();
      if (!json) print(now.text);
      return kFine;
    }
    last = now.summary;
    std::this_thread::sleep_for(kPause);
  }
}

int status(Session&, const StatusOptions& options) {
  states_of(options);
  if (options.watch) return watch(options);
  print(look(options).text + (options.format == Format::json ? "\n" : ""));
  return kFine;
}

const AddVerb<StatusOptions> verb = {{
    .name = "status",
    .place = 31,
    .summary = "Show what was launched, and how it is",
    .help = R"(
Without a number: all experiments, the newest first. Of an experiment: its units,
failed ones first if not all can be shown. Of a unit: its jobs with their command
lines, attempts and logs. Looking never changes anything.

Examples:
  kd status
  kd status 17 --watch
  kd status 17 --state=failed --all
  kd status 17/3 --format=json)",
    .options =
        [](Options& add, StatusOptions& o) {
          add.value("WHAT", o.what, "WHAT", "17, 17/3 or 17/3/train", experiments)
              ->check(CLI::Validator(not_empty, ""));
          add.flag("--watch", o.watch, "Draw it anew until nothing is left to run");
          add.flag("--all", o.all, "Every row, however many there are");
          add.value("--limit", o.limit, "N", "Rows at most")
              ->check(at_least(1))
              ->capture_default_str();
          add.value("--state", o.states, "STATE", "Only units in these states: failed,running",
                    states)
              ->delimiter(',');
          add.choice("--format", o.format, "The notation");
        },
    .run = status,
}};

}  // namespace
}  // namespace cli
