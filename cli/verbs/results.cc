// kd results: what the units of an experiment came to.
#include "cli/results.h"

#include "cli/errors.h"
#include "cli/experiments.h"
#include "cli/plot.h"
#include "cli/queued.h"
#include "cli/shown.h"
#include "cli/terminal.h"
#include "cli/text.h"
#include "cli/verb.h"
#include "konfig/json.h"

namespace cli {
namespace {

using konfig::Dict;
using konfig::List;
using konfig::Value;

enum class TableFormat { text, csv, json };

struct ResultsOptions {
  std::string what = "";
  std::string sort = "";
  std::vector<std::string> keys = {};
  TableFormat format = TableFormat::text;
};

// `number` makes texts of metrics.
using NumberText = std::string (*)(double);

std::string step_text(const ResultsRow& row, const std::string& collection) {
  const auto found = row.steps.find(collection);
  return found == row.steps.end() ? "" : std::to_string(found->second);
}

std::vector<std::string> cells_of(const Results& results, const ResultsRow& row,
                                  NumberText number) {
  std::vector<std::string> out;
  for (auto& key : results.swept) {
    auto* value = row.args.find(key);
    out.push_back(value ? raw_text(*value) : "");
  }
  out.push_back(row.step ? std::to_string(*row.step) : "");
  for (auto& collection : results.collections) out.push_back(step_text(row, collection));
  for (auto& key : results.metrics) {
    const auto found = row.metrics.find(key);
    out.push_back(found == row.metrics.end() ? "" : number(found->second));
  }
  return out;
}

std::vector<std::string> row_of(std::vector<std::string> first,
                                const std::vector<std::string>& cells,
                                const std::vector<std::string>& last) {
  first.insert(first.end(), cells.begin(), cells.end());
  first.insert(first.end(), last.begin(), last.end());
  return first;
}

std::vector<std::string> heading_of(const Results& results, const char* step) {
  std::vector<std::string> out = results.swept;
  out.emplace_back(step);
  for (auto& collection : results.collections) out.push_back(collection + "/step");
  out.insert(out.end(), results.metrics.begin(), results.metrics.end());
  return out;
}

std::string table_of(const Results& results, int xid) {
  Table table;
  std::vector<std::string> heading = heading_of(results, "STEP");
  for (std::string& cell : heading) cell = shown(cell);
  table.add(row_of({"UNIT", "STATE"}, heading, {}));
  for (const ResultsRow& row : results.rows) {
    std::vector<std::string> cells = cells_of(results, row, mark_text);
    cells.push_back(row.why);
    for (std::string& cell : cells) cell = shown(cell);
    table.add(row_of({to_text(kxm::Address{.xid = xid, .wid = row.wid}), state_text(row.state)},
                     cells, {}));
  }
  return table.text(/*heading=*/true);
}

std::string exact_text(double number) { return konfig::to_json(number); }

std::string csv_line(const std::vector<std::string>& cells) {
  std::string out;
  for (auto& cell : cells) {
    if (&cell != &cells.front()) out += ',';
    if (cell.find_first_of(",\"\r\n") == cell.npos) {
      out += cell;
      continue;
    }
    out += '"';
    for (char c : cell) out += c == '"' ? "\"\"" : std::string(1, c);
    out += '"';
  }
  return out + "\n";
}

std::string csv_of(const Results& results) {
  std::string out = csv_line(row_of({"wid", "state"}, heading_of(results, "step"), {"dir", "why"}));
  for (const ResultsRow& row : results.rows) {
    out += csv_line(row_of({std::to_string(row.wid), std::string(to_string(row.state))},
                           cells_of(results, row, exact_text), {row.dir, row.why}));
  }
  return out;
}

std::string json_of(const Results& results, int xid) {
  List rows;
  for (const ResultsRow& row : results.rows) {
    Dict metrics;
    for (auto& key : results.metrics) {
      const auto found = row.metrics.find(key);
      if (found != row.metrics.end()) metrics.set(key, found->second);
    }
    Dict steps;
    for (auto& [collection, step] : row.steps) steps.set(collection, step);
    rows.push_back(Dict{{"xid", xid},
                        {"wid", row.wid},
                        {"state", to_string(row.state)},
                        {"args", row.args},
                        {"step", row.step ? Value(*row.step) : Value()},
                        {"steps", steps},
                        {"metrics", metrics},
                        {"dir", valid_utf8(row.dir)},
                        {"why", valid_utf8(row.why)}});
  }
  return konfig::to_json(rows) + "\n";
}

int show(Session&, const ResultsOptions& options) {
  const kxm::Address address = address_of(options.what);
  if (!address.job.empty()) {
    throw UsageError(options.what + ": results belong to units, not to jobs");
  }
  const kxm::State state = open_state();
  kxm::ExperimentRow experiment = kxm::find_experiment(state, address.xid);
  if (const auto missing = missing_text(experiment); !missing.empty()) remark(missing);
  std::vector<kxm::UnitRow> units;
  if (address.wid) {
    units = {state.unit(address.xid, *address.wid)};
  } else {
    units = state.units(address.xid);
  }
  look_in_queue(experiment, units);
  Results results = read_results(units, options.keys);
  if (!options.sort.empty()) sort_results(results, options.sort);
  print(options.format == TableFormat::json  ? json_of(results, address.xid)
        : options.format == TableFormat::csv ? csv_of(results)
                                             : table_of(results, address.xid));
  return kFine;
}

// Of the experiment that was named before.
std::vector<Candidate> columns(const Typing& typing) {
  std::vector<Candidate> out;
  try {
    const std::string sign = typing.value.starts_with('-') ? "-" : "";
    for (auto& word : typing.before) {
      const auto address = kxm::parse_address(word);
      if (!address) continue;
      const Results results = read_results(open_state().units(address->xid), {});
      if (results.rows.empty()) break;
      for (const char* name : {"wid", "state", "step"}) out.push_back({sign + name});
      for (auto& name : results.swept) out.push_back({sign + name});
      for (auto& name : results.metrics) out.push_back({sign + name});
      break;
    }
  } catch (const std::exception&) {
    // Completion never complains.
  }
  return out;
}

const AddVerb<ResultsOptions> verb = {{
    .name = "results",
    .place = 34,
    .summary = "Compare the results of launched units",
    .help = R"(
A row for each unit: what was swept and the last value of each loss and metric,
from the files metrics.jsonl in the units' folders. Units without any say why.
Where these are of different steps, each collection has a column with its own.

Examples:
  kd results 17
  kd results 17 --sort=-accuracy --key='eval/*'
  kd results 17 --format=csv > results.csv)",
    .options =
        [](Options& add, ResultsOptions& o) {
          add.value("WHAT", o.what, "WHAT", "17, or 17/3 for one unit", experiments)->required();
          add.value("--sort", o.sort, "KEY",
                    "A column, or the end of its name: lr; -lr begins with the largest", columns);
          add.value("--key", o.keys, "KEY", "Patterns of metrics: losses/*, eval/*")
              ->delimiter(',');
          add.choice("--format", o.format, "The notation");
        },
    .run = show,
}};

}  // namespace
}  // namespace cli
