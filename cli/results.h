// What the units of an experiment came to: swept values and the last of each metric, a row per
// unit.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kxm/state.h"

namespace cli {

struct ResultsRow {
  int wid = 0;
  kxm::JobState state = kxm::JobState::waiting;
  konfig::Dict args;  // what was swept
  std::string dir;
  std::optional<std::int64_t> step = {};           // the last one with metrics
  std::map<std::string, std::int64_t> steps = {};  // the same, of each collection
  std::map<std::string, double> metrics;  // all, by "eval/losses/total": collection and key
  std::string why = {};  // why there are no metrics, not all, or none of the last step
};

struct Results {
  std::vector<std::string> swept;    // keys in the order of the first unit that has them
  std::vector<std::string> metrics;  // those to show, sorted
  // Those of what is shown, if a row has values of different steps; else none.
  std::vector<std::string> collections;
  std::vector<ResultsRow> rows;  // by wid
};

// `keys` are patterns for metrics, with or without the collection: "losses/*", "eval/*". None:
// losses and metrics. A Failure if one of them fits nothing, though there are results.
Results read_results(const std::vector<kxm::UnitRow>& units, const std::vector<std::string>& keys);

// By "wid", "state", "step", "eval/step" where collections differ, a swept key or a metric, whose
// name may leave out its beginning where that is clear; "-KEY" starts with the largest. Rows
// without a value come last. Other names are a UsageError.
void sort_results(Results& results, const std::string& key);

}  // namespace cli
