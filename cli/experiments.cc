#include "cli/experiments.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include "base/clock.h"
#include "base/join.h"
#include "cli/errors.h"
#include "cli/shown.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "kxm/launch.h"

namespace cli {

namespace fs = std::filesystem;
using konfig::Dict;
using konfig::List;
using konfig::Value;
using kxm::JobState;

namespace {

constexpr int kMostCandidates = 200;

// When it began; 0: it did not.
double start_of(const kxm::AttemptRow& attempt) {
  if (!attempt.ended) return attempt.begun;
  const kxm::Ended& ended = *attempt.ended;
  if (ended.started > 0) return ended.started;
  const bool never = ended.how == kxm::End::not_started || ended.how == kxm::End::stopped;
  return never ? 0 : attempt.intended;
}

// Seconds since 1970, or None.
Value time_value(double seconds) { return seconds > 0 ? Value(seconds) : Value(); }

Value list_of(const std::vector<std::string>& texts) {
  List out;
  for (auto& text : texts) out.push_back(valid_utf8(text));
  return out;
}

Dict to_dict(const kxm::Ended& ended) {
  return {{"how", to_string(ended.how)},          {"code", ended.code},
          {"reason", valid_utf8(ended.reason)},   {"host", valid_utf8(ended.host)},
          {"started", time_value(ended.started)}, {"ended", time_value(ended.ended)},
          {"cpu_seconds", ended.cpu_seconds},     {"peak_memory", ended.peak_memory}};
}

Dict to_dict(const kxm::AttemptRow& attempt) {
  return {{"number", attempt.number},
          {"folder", valid_utf8(attempt.folder)},
          {"log", valid_utf8(log_of(attempt.folder).string())},
          {"where", valid_utf8(attempt.where)},
          {"intended", time_value(attempt.intended)},
          {"requeues", attempt.requeues},
          {"ended", attempt.ended ? Value(to_dict(*attempt.ended)) : Value()}};
}

Dict to_dict(const kxm::Resources& resources) {
  return {{"cpus", resources.cpus},
          {"memory", resources.memory},
          {"gpus", resources.gpus},
          {"gpu_type", valid_utf8(resources.gpu_type)},
          {"replicas", resources.replicas},
          {"seconds", resources.seconds},
          {"place", valid_utf8(resources.place)},
          {"container", valid_utf8(resources.container)}};
}

std::string_view to_string(kxm::Role role) {
  switch (role) {
    case kxm::Role::program:
      return "program";
    case kxm::Role::train:
      return "train";
    case kxm::Role::evaluate:
      return "evaluate";
  }
  return "";
}

}  // namespace

kxm::Address address_of(const std::string& text) {
  if (const auto address = kxm::parse_address(text)) return *address;
  throw UsageError("'" + text +
                   "': expected the number of an experiment, a unit of it or a job of that: 17, "
                   "17/3 or 17/3/train");
}

kxm::State open_state() { return kxm::State(kxm::state_folder(), kxm::State::Open::read); }

std::string state_text(JobState state) {
  const std::string_view text = to_string(state);
  switch (state) {
    case JobState::finished:
      return ink_out(Ink::green, text);
    case JobState::failed:
      return ink_out(Ink::red, text);
    case JobState::running:
      return ink_out(Ink::bold, text);
    default:
      return std::string(text);
  }
}

std::string time_text(double seconds) {
  if (seconds <= 0) return "";
  const auto whole = static_cast<std::time_t>(seconds);
  std::tm parts = {};
  ::localtime_r(&whole, &parts);
  char out[32];
  return std::string(out, std::strftime(out, sizeof out, "%Y-%m-%d %H:%M:%S", &parts));
}

std::string path_text(const std::string& path) {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  if (error || path.empty()) return shown(path);
  const std::string relative = fs::path(path).lexically_relative(here).string();
  return shown(relative.empty() || relative.starts_with("..") ? path : relative);
}

std::string why_text(const kxm::AttemptRow& attempt) {
  return attempt.ended ? kxm::why(*attempt.ended) : "";
}

std::string warning_of(const kxm::JobRow& job) {
  if (job.attempts.empty() || !job.attempts.back().ended) return "";
  const kxm::Ended& ended = *job.attempts.back().ended;
  return ended.how == kxm::End::not_started ? "" : ended.reason;
}

fs::path log_of(const std::string& attempt_folder) { return fs::path(attempt_folder) / "log.txt"; }

namespace {

// When it ran, from and to; both equal if that is not known.
std::pair<double, double> span_of(const kxm::AttemptRow& attempt) {
  const double start = start_of(attempt);
  if (start <= 0) return {0, 0};
  if (!attempt.ended) return {start, std::max(start, base::now())};
  return {start, std::max(start, attempt.ended->ended)};
}

void add_spans(const kxm::AttemptRow& attempt, std::vector<std::pair<double, double>>& spans) {
  spans.push_back(span_of(attempt));
  for (const kxm::Round& round : attempt.rounds) spans.emplace_back(round.started, round.ended);
}

double total_of(std::vector<std::pair<double, double>> spans) {
  std::ranges::sort(spans);
  double out = 0, end = 0;
  for (auto& [from, to] : spans) {
    out += std::max(0.0, to - std::max(from, end));
    end = std::max(end, to);
  }
  return out;
}

}  // namespace

double seconds_of(const kxm::AttemptRow& attempt) {
  std::vector<std::pair<double, double>> spans;
  add_spans(attempt, spans);
  return total_of(spans);
}

double seconds_of(const kxm::JobRow& job) {
  std::vector<std::pair<double, double>> spans;
  for (auto& attempt : job.attempts) add_spans(attempt, spans);
  return total_of(spans);
}

double seconds_of(const kxm::UnitRow& unit) {
  std::vector<std::pair<double, double>> spans;
  for (auto& job : unit.jobs) {
    for (auto& attempt : job.attempts) add_spans(attempt, spans);
  }
  return total_of(spans);
}

Dict to_dict(const kxm::Counts& counts) {
  Dict out;
  out.set("total", counts.total());
  for (int i = 0; i < kxm::kJobStates; ++i) {
    const auto state = static_cast<JobState>(i);
    out.set(to_string(state), counts[state]);
  }
  return out;
}

Dict to_dict(const kxm::ExperimentRow& e) {
  const auto launcher = kxm::launcher_of(e);
  return {{"xid", e.xid},
          {"title", valid_utf8(e.title)},
          {"author", valid_utf8(e.author)},
          {"note", valid_utf8(e.note)},
          {"tags", list_of(e.tags)},
          {"dir", valid_utf8(e.dir)},
          {"home", valid_utf8(e.home)},
          {"cwd", valid_utf8(e.cwd)},
          {"host", valid_utf8(e.host)},
          {"executor", valid_utf8(e.executor)},
          {"created", time_value(e.created)},
          {"recorded", e.recorded},
          {"launcher", launcher ? Value(Dict{{"pid", launcher->pid},
                                             {"host", launcher->host},
                                             {"since", time_value(launcher->since)}})
                                : Value()},
          {"counts", to_dict(e.units)}};
}

Dict to_dict(const kxm::JobRow& job) {
  Dict env;
  for (auto& [name, value] : job.what.env) env.set(valid_utf8(name), valid_utf8(value));
  List attempts;
  for (auto& attempt : job.attempts) attempts.push_back(to_dict(attempt));
  return {{"name", valid_utf8(job.what.name)},
          {"role", to_string(job.what.role)},
          {"state", to_string(job.state)},
          {"why", job.why()},
          {"seconds", seconds_of(job)},
          {"argv", list_of(job.what.argv)},
          {"env", env},
          {"secrets", list_of(job.what.secrets)},
          {"resources", to_dict(job.what.resources)},
          {"after", list_of(job.what.after)},
          {"attempts", attempts}};
}

Dict to_dict(const kxm::UnitRow& unit, int xid) {
  List jobs;
  for (auto& job : unit.jobs) jobs.push_back(to_dict(job));
  return {{"xid", xid},
          {"wid", unit.wid},
          {"identity", valid_utf8(unit.identity)},
          {"args", unit.args},
          {"state", to_string(unit.state)},
          {"seconds", seconds_of(unit)},
          {"dir", valid_utf8(unit.dir)},
          {"jobs", jobs}};
}

Dict to_dict(const kxm::ExperimentRow& experiment, const std::vector<kxm::UnitRow>& units) {
  Dict out = to_dict(experiment);
  List list;
  for (auto& unit : units) list.push_back(to_dict(unit, experiment.xid));
  out.set("units", list);
  return out;
}

std::vector<Candidate> experiments(const Typing& typing) {
  std::vector<Candidate> out;
  try {
    const std::string prefix = typing.value.starts_with("xid:") ? "xid:" : "";
    const kxm::State state = open_state();
    const std::string before = typing.value.substr(0, typing.value.find_last_of('/') + 1);
    const auto unit = kxm::parse_address(before.substr(0, before.empty() ? 0 : before.size() - 1));
    if (unit && unit->wid && unit->job.empty()) {
      for (auto& job : state.unit(unit->xid, *unit->wid).jobs) {
        out.push_back({before + job.what.name});
      }
      return out;
    }
    const auto address = kxm::parse_address(typing.value);
    if (address && typing.value.find('/') != std::string::npos) {
      for (auto& unit : state.units(address->xid, {.limit = kMostCandidates})) {
        out.push_back({prefix + to_text(kxm::Address{.xid = address->xid, .wid = unit.wid}),
                       args_text(unit.args)});
      }
      return out;
    }
    for (auto& e : state.experiments(kMostCandidates)) {
      out.push_back({prefix + std::to_string(e.xid), shown(e.title)});
    }
  } catch (const std::exception&) {
    // Completion never complains.
  }
  return out;
}

std::vector<Candidate> runs(const Typing& typing) {
  std::vector<Candidate> out = experiments(typing);
  for (auto& folder : folders(typing)) out.push_back(std::move(folder));
  return out;
}

}  // namespace cli
