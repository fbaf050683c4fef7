#include "cli/results.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <set>

#include "base/file.h"
#include "base/join.h"
#include "base/number_in.h"
#include "cli/errors.h"
#include "cli/metrics_files.h"
#include "cli/text.h"
#include "konfig/suggest.h"

namespace cli {
namespace {

using konfig::Value;
using kxm::JobState;
using kxm::UnitRow;
namespace fs = std::filesystem;

constexpr std::string_view kStep = "/step";

std::string why_not(const UnitRow& unit) {
  for (const kxm::JobRow& job : unit.jobs) {
    if (job.state == JobState::failed && !job.why().empty()) return job.why();
  }
  if (unit.dir.empty()) return "no folder";
  switch (unit.state) {
    case JobState::finished:
      return "no */metrics.jsonl";
    case JobState::running:
      return "no metrics yet";
    default:
      return std::string(to_string(unit.state));
  }
}

void add_note(std::string& notes, const std::string& note) {
  notes += (notes.empty() ? "" : "; ") + note;
}

// The last step of a training that is complete; none where it was complete before this was noted.
std::optional<std::int64_t> end_of_training(const std::string& dir) {
  if (dir.empty()) return std::nullopt;
  const auto text = base::try_read_file(fs::path(dir) / "train_complete.txt");
  return text ? base::number_in<std::int64_t>(*text) : std::nullopt;
}

std::string collection_of(const std::string& name) { return name.substr(0, name.find('/')); }

// All of its metrics, and the reason if there are none.
ResultsRow read_row(const UnitRow& unit) {
  ResultsRow out{
      .wid = unit.wid, .state = unit.state, .args = unit.args, .dir = unit.dir, .metrics = {}};
  std::error_code error;
  std::vector<MetricsFile> files;
  if (!unit.dir.empty()) files = metrics_files(unit.dir, error);
  for (const auto& [collection, file] : files) {
    try {
      const LastMetrics last = last_metrics(file);
      if (!last.problem.empty()) add_note(out.why, file.string() + ": " + last.problem);
      if (last.values.empty()) continue;
      out.step = std::max(out.step.value_or(last.step), last.step);
      out.steps[collection] = last.step;
      for (auto& [key, value] : last.values) out.metrics[collection + "/" + key] = value;
    } catch (const std::exception& e) {
      add_note(out.why, file.string() + ": " + e.what());
    }
  }
  if (out.metrics.empty() && out.why.empty()) out.why = why_not(unit);
  const auto end = end_of_training(unit.dir);
  const auto train = out.steps.find("train");
  if (end && train != out.steps.end() && train->second < *end) {
    add_note(out.why, "train: of step " + std::to_string(train->second) + ", trained to " +
                          std::to_string(*end));
  }
  return out;
}

// Collections of what is shown, where one step does not fit all of a row's.
std::vector<std::string> collections_that_differ(const Results& results) {
  std::set<std::string> shown;
  for (auto& name : results.metrics) shown.insert(collection_of(name));
  const bool differ = std::ranges::any_of(results.rows, [&](const ResultsRow& row) {
    return std::ranges::any_of(row.steps, [&](auto& step) {
      return shown.contains(step.first) && step.second != row.step;
    });
  });
  if (!differ) return {};
  return {shown.begin(), shown.end()};
}

void check_patterns(const std::set<std::string>& names, const std::vector<std::string>& patterns) {
  if (names.empty()) return;
  const std::vector<std::string> known(names.begin(), names.end());
  for (const std::string& pattern : patterns) {
    if (std::ranges::any_of(known, [&](auto& name) { return fits_metric(name, {pattern}); }))
      continue;
    throw UsageError("--key: nothing fits '" + pattern + "'" +
                     konfig::did_you_mean(pattern, known) +
                     "; there are: " + base::join(known, ", "));
  }
}

// The sum of one loss says nothing new.
void drop_needless_totals(std::set<std::string>& names) {
  std::map<std::string, int> losses;  // by collection
  for (auto& name : names) {
    if (without_collection(name).starts_with("losses/")) ++losses[name.substr(0, name.find('/'))];
  }
  for (auto& [collection, n] : losses) {
    if (n == 2) names.erase(collection + "/losses/total");
  }
}

std::vector<std::string> swept_keys(const std::vector<UnitRow>& units) {
  std::vector<std::string> out;
  std::set<std::string> seen;
  for (const UnitRow& unit : units) {
    for (auto& arg : unit.args) {
      if (seen.insert(raw_text(arg.first)).second) out.push_back(raw_text(arg.first));
    }
  }
  return out;
}

// ---- Order ----

// Numbers come before texts.
struct Rank {
  bool missing = true;
  bool is_text = false;
  double number = 0;
  std::string text = {};
};

Rank rank_of(const Value& value) {
  const double number = value.is<bool>() ? value.as<bool>() : number_of(value);
  if (std::isnan(number) && value.is<double>()) return {};  // a NaN says as much as no value
  if (!std::isnan(number)) return {.missing = false, .number = number};
  const std::string text = raw_text(value);
  // Flags are kept as they are typed: [9, 10], not ["10", "9"].
  if (const auto typed = base::number_in<double>(text)) return {.missing = false, .number = *typed};
  return {.missing = false, .is_text = true, .text = text};
}

Rank rank_of(const ResultsRow& row, const std::string& key) {
  if (key == "wid") return rank_of(row.wid);
  if (key == "state") return rank_of(to_string(row.state));
  if (key == "step") return row.step ? rank_of(*row.step) : Rank();
  if (key.ends_with(kStep)) {
    const auto step = row.steps.find(key.substr(0, key.size() - kStep.size()));
    if (step != row.steps.end()) return rank_of(step->second);
  }
  if (auto* value = row.args.find(key)) return rank_of(*value);
  const auto found = row.metrics.find(key);
  return found == row.metrics.end() ? Rank() : rank_of(found->second);
}

bool is_less(const Rank& a, const Rank& b, bool descending) {
  if (a.missing || b.missing) return !a.missing && b.missing;
  const Rank& low = descending ? b : a;
  const Rank& high = descending ? a : b;
  if (low.is_text != high.is_text) return high.is_text;
  return low.is_text ? low.text < high.text : low.number < high.number;
}

// "total" for "eval/losses/total", "lr" for "cfg.optimizer.lr".
bool is_end_of(const std::string& name, const std::string& end) {
  return name.size() > end.size() && name.ends_with(end) &&
         std::string_view("/.").find(name[name.size() - end.size() - 1]) != std::string_view::npos;
}

std::vector<std::string> ending_in(const std::vector<std::string>& names, const std::string& end) {
  std::vector<std::string> out;
  for (auto& name : names) {
    if (is_end_of(name, end)) out.push_back(name);
  }
  return out;
}

// Metrics that are not shown may be meant, too.
std::vector<std::string> hidden_metrics(const Results& results) {
  std::set<std::string> names;
  for (auto& row : results.rows) {
    for (auto& [name, value] : row.metrics) names.insert(name);
  }
  for (auto& name : results.metrics) names.erase(name);
  return {names.begin(), names.end()};
}

std::string whole_key(const Results& results, const std::string& key) {
  std::vector<std::string> known = {"wid", "state", "step"};
  for (auto& collection : results.collections) known.push_back(collection + std::string(kStep));
  known.insert(known.end(), results.swept.begin(), results.swept.end());
  known.insert(known.end(), results.metrics.begin(), results.metrics.end());
  const std::vector<std::string> hidden = hidden_metrics(results);
  const auto has = [&](const auto& names) { return std::ranges::find(names, key) != names.end(); };
  if (has(known) || has(hidden)) return key;
  std::vector<std::string> fitting = ending_in(known, key);
  if (fitting.empty()) fitting = ending_in(hidden, key);
  if (fitting.size() == 1) return fitting.front();
  if (fitting.size() > 1) {
    throw UsageError("--sort: '" + key + "' may be " + base::join_or(fitting));
  }
  std::vector<std::string> near = known;
  for (auto& name : known) near.push_back(name.substr(name.find_last_of("/.") + 1));
  throw UsageError("--sort: no column '" + key + "'" + konfig::did_you_mean(key, near) +
                   "; there are: " + base::join(known, ", "));
}

}  // namespace

Results read_results(const std::vector<UnitRow>& units, const std::vector<std::string>& keys) {
  Results out;
  out.swept = swept_keys(units);
  std::set<std::string> names;
  for (const UnitRow& unit : units) {
    out.rows.push_back(read_row(unit));
    for (auto& [name, value] : out.rows.back().metrics) names.insert(name);
  }
  check_patterns(names, keys);
  std::set<std::string> chosen = chosen_metrics(names, keys);
  if (keys.empty()) drop_needless_totals(chosen);
  out.metrics.assign(chosen.begin(), chosen.end());
  out.collections = collections_that_differ(out);
  return out;
}

void sort_results(Results& results, const std::string& key) {
  const bool descending = key.starts_with('-');
  const std::string name = whole_key(results, key.substr(descending ? 1 : 0));
  std::ranges::stable_sort(results.rows, [&](const ResultsRow& a, const ResultsRow& b) {
    return is_less(rank_of(a, name), rank_of(b, name), descending);
  });
}

}  // namespace cli
