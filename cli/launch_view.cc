#include "cli/launch_view.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "base/join.h"
#include "cli/experiments.h"
#include "cli/shown.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "konfig/print.h"

namespace cli {
namespace {

using kxm::Counts;
using kxm::JobState;

constexpr std::size_t kMostRows = 20;
constexpr std::size_t kMostFailures = 5;
constexpr std::size_t kLogLines = 10;
constexpr std::int64_t kMostBehind = 1 << 20;  // bytes of a log

constexpr JobState kOrder[] = {JobState::finished, JobState::failed,  JobState::running,
                               JobState::waiting,  JobState::stopped, JobState::skipped};

Ink ink_of(JobState state) {
  switch (state) {
    case JobState::finished:
      return Ink::green;
    case JobState::failed:
      return Ink::red;
    case JobState::running:
      return Ink::bold;
    default:
      return Ink::dim;
  }
}

double seconds_since(std::chrono::steady_clock::time_point then) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count();
}

std::string end_text(const kxm::Event& event) {
  return event.ended ? kxm::why(*event.ended) : std::string(to_string(event.state));
}

}  // namespace

std::string counts_text(const Counts& counts) {
  std::vector<std::string> parts;
  for (JobState state : kOrder) {
    if (counts[state] > 0) {
      parts.push_back(std::to_string(counts[state]) + " " + std::string(to_string(state)));
    }
  }
  return parts.empty() ? "no units" : base::join(parts, ", ");
}

std::string duration_text(double seconds) {
  const auto all = static_cast<long long>(std::max(0.0, seconds));
  char text[32];
  if (all >= 3600) {
    std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", all / 3600, all / 60 % 60, all % 60);
  } else {
    std::snprintf(text, sizeof text, "%02lld:%02lld", all / 60, all % 60);
  }
  return text;
}

std::string args_text(const konfig::Dict& args) {
  // Texts as they are: lists and nodes of a config are texts here, too.
  const auto value_text = [](const konfig::Value& value) {
    auto* text = value.get_if<std::string>();
    return text && !text->empty() ? konfig::shorten(*text, 40) : brief_text(value);
  };
  return shown(base::join(
      args, ", ", [&](auto& arg) { return raw_text(arg.first) + "=" + value_text(arg.second); }));
}

std::string short_args_text(const konfig::Dict& args) {
  const auto end_of = [](const konfig::Value& key) {
    const std::string text = raw_text(key);
    return text.substr(text.rfind('.') + 1);
  };
  konfig::Dict out;
  for (auto& [key, value] : args) {
    const auto same = std::ranges::count_if(
        args, [&, &end = key](auto& other) { return end_of(other.first) == end_of(end); });
    out.set(same == 1 ? konfig::Value(end_of(key)) : key, value);
  }
  return args_text(out);
}

LaunchView::LaunchView(const kxm::State& state, const kxm::Address& what, Options options)
    : state_(state), what_(what), options_(options) {
  if (const auto row = state.experiment(what.xid)) {
    title_ = shown(row->title);
    units_ = row->units;
  }
  if (what.wid) {
    units_ = {};
    ++units_[state.unit(what.xid, *what.wid).state];
  }
}

std::string LaunchView::name_of(int wid, const std::string& job) const {
  return kxm::to_text({.xid = what_.xid, .wid = wid, .job = job});
}

void LaunchView::add_log_line(const std::string& name, std::string_view line) {
  // Of a terminal that is gone a log is left, and what the jobs print is in theirs.
  if (!options_.logs || (began_live_ && !live_.is_live())) return;
  log_lines_ += ink_err(Ink::dim, name + " | ");
  log_lines_ += live_.is_live() ? shown_line(line, has_colours(STDERR_FILENO)) : std::string(line);
  log_lines_ += '\n';
}

// A job that prints faster than can be shown must not keep the launcher from its work.
void LaunchView::skip_of(const std::string& name) {
  const std::int64_t left_out = tails_.skip(name, kMostBehind);
  if (left_out == 0) return;
  add_log_line(name, "... " + std::to_string(left_out) + " bytes are left out here; `kd logs " +
                         name + "` prints all");
}

void LaunchView::print_log_lines() {
  if (log_lines_.empty()) return;
  log_lines_.pop_back();
  live_.print(log_lines_);
  log_lines_.clear();
}

LaunchView::Running LaunchView::running_of(const kxm::Event& event) const {
  Running out = {.attempt = event.attempt, .waits = event.kind == kxm::Event::Kind::submitted};
  using Kind = kxm::Event::Kind;
  if (!live_.is_live() && event.kind != Kind::adopted) return out;
  const kxm::UnitRow unit = state_.unit(what_.xid, event.wid);
  out.swept = short_args_text(unit.args);
  if (event.kind != Kind::adopted && event.kind != Kind::placed) return out;
  // It may have begun before this launcher did.
  const kxm::JobRow& job =
      kxm::find_job(unit, {.xid = what_.xid, .wid = event.wid, .job = event.job});
  if (job.attempts.empty()) return out;
  if (event.kind == Kind::adopted) out.waits = event.waits;
  const std::chrono::duration<double> before(seconds_of(job.attempts.back()));
  out.since -= std::chrono::duration_cast<std::chrono::steady_clock::duration>(before);
  return out;
}

void LaunchView::on_event(const kxm::Event& event) {
  using Kind = kxm::Event::Kind;
  units_ = event.units;
  const std::string name = name_of(event.wid, event.job);
  const auto key = std::pair(event.wid, event.job);
  auto on_line = [this](const std::string& of, std::string_view line) { add_log_line(of, line); };
  switch (event.kind) {
    case Kind::started:
    case Kind::submitted:
    case Kind::adopted:
      running_[key] = running_of(event);
      tails_.add(name, log_of(event.folder).string());
      if (!live_.is_live()) {
        live_.print(name +
                    (event.kind == Kind::started ? " started"
                     : event.unclear ? " may be submitted: Slurm gave no clear answer yet"
                     : event.kind == Kind::submitted ? " submitted"
                     : running_[key].waits           ? " waits already"
                                                     : " runs already") +
                    (event.attempt > 1 ? ", attempt " + std::to_string(event.attempt) : ""));
      }
      break;
    case Kind::placed:
      running_[key] = running_of(event);
      running_[key].where = event.text;
      if (!live_.is_live()) live_.print(name + " runs: " + event.text);
      break;
    case Kind::ended:
    case Kind::retried:
      skip_of(name);
      tails_.finish(name, on_line);
      print_log_lines();
      running_.erase(key);
      if (event.ended && !event.ended->reason.empty() && event.state != JobState::failed &&
          event.state != JobState::skipped) {
        warnings_.push_back(name + ": " + shown(event.ended->reason));
      }
      if (!live_.is_live() || event.state == JobState::failed || event.kind == Kind::retried) {
        live_.print(name + " " + ink_err(ink_of(event.state), end_text(event)) +
                    (event.kind == Kind::retried ? "; once more" : ""));
      }
      break;
    case Kind::note:
      live_.print(event.text);
      break;
    case Kind::state:
      break;
  }
  draw();
}

void LaunchView::tick() {
  for (auto& [key, job] : running_) skip_of(name_of(key.first, key.second));
  tails_.read([this](const std::string& of, std::string_view line) { add_log_line(of, line); });
  print_log_lines();
  draw();
}

void LaunchView::show_stop(std::optional<kxm::Stop> how) {
  if (how == stop_) return;
  stop_ = how;
  live_.print(how == kxm::Stop::now
                  ? "killing the jobs; Ctrl-C once more leaves without waiting for them"
                  : "stopping: jobs save and end; Ctrl-C once more kills them");
}

// What a cluster has not begun yet counts as waiting.
Counts LaunchView::counts_now() const {
  std::map<int, bool> waits;  // by unit: all of its open jobs
  for (const auto& [key, job] : running_) {
    bool& all = waits.try_emplace(key.first, true).first->second;
    all = all && job.waits;
  }
  Counts out = units_;
  for (const auto& [wid, all] : waits) {
    if (!all) continue;
    --out[JobState::running];
    ++out[JobState::waiting];
  }
  return out;
}

void LaunchView::draw() {
  if (!live_.is_live()) return;
  // With the heading, a last row that says how many are left out, and the line below.
  // What the jobs print has half of the terminal.
  const auto size = terminal_size(STDERR_FILENO);
  const auto room = static_cast<std::size_t>(std::max(1, size.rows / 2 - 2));
  const auto columns = static_cast<std::size_t>(std::max(1, size.columns));
  const std::size_t most = std::min(kMostRows, room);
  Table table;
  std::size_t shown_rows = 0;
  for (auto& [key, job] : running_) {
    if (shown_rows++ == most) break;
    table.add({shown(name_of(key.first, key.second)), job.swept,
               (job.waits ? "waits " : "") + duration_text(seconds_since(job.since)), job.where,
               job.attempt > 1 ? "attempt " + std::to_string(job.attempt) : ""});
  }
  table.fit(columns);
  const std::string counts =
      "  " + counts_text(counts_now()) + "  " + duration_text(seconds_since(started_));
  const std::string id = kxm::to_text(what_) + " ";
  const std::size_t taken = counts.size() + id.size() + 3;  // and the dots of a title that is cut
  const std::string title = konfig::shorten(title_, columns > taken + 8 ? columns - taken : 8);
  std::vector<std::string> lines = {ink_err(Ink::bold, id + title) + counts};
  std::istringstream rows(table.text());
  for (std::string row; std::getline(rows, row);) lines.push_back(row);
  if (running_.size() > most) {
    lines.push_back("  ... and " + std::to_string(running_.size() - most) + " more");
  }
  live_.show(lines);
}

namespace {

// Whether one of its jobs failed after it had begun.
bool has_log(const kxm::UnitRow& unit) {
  return std::ranges::any_of(unit.jobs, [](const kxm::JobRow& job) {
    return job.state == JobState::failed && !job.attempts.empty() && job.attempts.back().ended &&
           job.attempts.back().ended->how != kxm::End::not_started;
  });
}

// Each job that failed, with the last lines of its log.
void print_failures(const std::vector<kxm::UnitRow>& units, int xid) {
  for (const kxm::UnitRow& unit : units) {
    for (const kxm::JobRow& job : unit.jobs) {
      if (job.state != JobState::failed) continue;
      const std::string name =
          kxm::to_text({.xid = xid, .wid = unit.wid, .job = shown(job.what.name)});
      const std::string args = args_text(unit.args);
      print("\n" + ink_out(Ink::red, name + " failed") + ": " + job.why() +
            (args.empty() ? "" : "  (" + args + ")") + "\n");
      if (job.attempts.empty()) continue;
      for (auto& line : last_lines(log_of(job.attempts.back().folder).string(), kLogLines)) {
        print("  | " + shown_line(line, has_colours(STDOUT_FILENO)) + "\n");
      }
    }
  }
}

}  // namespace

void print_summary(const kxm::State& state, const kxm::Address& what, const kxm::RunResult& result,
                   const std::vector<std::string>& warnings) {
  const auto row = state.experiment(what.xid);
  const std::string id = kxm::to_text(what), experiment = std::to_string(what.xid);
  print(id + " " + (row ? shown(row->title) : "") + ": " + counts_text(result.units) + "\n");
  const std::string dir = what.wid ? state.unit(what.xid, *what.wid).dir : row ? row->dir : "";
  if (!dir.empty()) print("results: " + shown(dir) + "\n");
  for (std::size_t i = 0; i < std::min(warnings.size(), kMostFailures); ++i) {
    print("warning: " + warnings[i] + "\n");
  }
  if (warnings.size() > kMostFailures) {
    print("... and " + std::to_string(warnings.size() - kMostFailures) + " more warnings\n");
  }
  kxm::UnitFilter filter = {.states = {JobState::failed}, .limit = static_cast<int>(kMostFailures)};
  if (what.wid) filter.wids = {*what.wid};
  const auto failed = state.units(what.xid, filter);
  print_failures(failed, what.xid);
  const int more = result.units[JobState::failed] - static_cast<int>(failed.size());
  if (more > 0) print("\n... and " + std::to_string(more) + " more failed: kd status " + id + "\n");
  if (!failed.empty()) {
    const auto logged = std::ranges::find_if(failed, has_log);
    const std::string log = logged == failed.end()
                                ? ""
                                : "kd logs " + kxm::to_text({.xid = what.xid, .wid = logged->wid}) +
                                      " shows a log whole; ";
    print("\n" + log + "kd resume " + id + " runs again what failed\n");
  } else if (result.stopped || result.left) {
    print("\nto go on: kd resume " + id + "\n");
  } else if (!dir.empty()) {
    print("\nkd results " + experiment +
          (what.wid ? " compares it with the other units\n" : " compares them\n"));
  }
}

}  // namespace cli
