// What training runs leave beside numbers: texts about the run, and what checkpoints hold beside
// the state.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <sstream>

#include "base/file.h"
#include "base/join.h"
#include "kd/ckpts/engine/manager.h"
#include "kd/train/trainer.h"
#include "konfig/json.h"
#include "tests/golden/compare.h"
#include "tests/golden/train_record.h"

namespace golden {

using konfig::Dict;
using konfig::List;
using konfig::Value;

namespace {

using Row = std::vector<std::string>;

std::string trimmed(const std::string& text) {
  const auto from = text.find_first_not_of(' ');
  if (from == std::string::npos) return "";
  return text.substr(from, text.find_last_not_of(' ') - from + 1);
}

// The cells of each line; those of rules, which are as wide as the columns, count as one text.
std::vector<Row> rows_of(const std::string& text) {
  std::vector<Row> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("|--")) line = "|-";
    Row row;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, '|');) row.push_back(trimmed(cell));
    out.push_back(row);
  }
  return out;
}

// Means and deviations are printed with three digits, of which the last may round otherwise.
bool same_cell(const std::string& a, const std::string& b) {
  if (a == b) return true;
  char *end_a = nullptr, *end_b = nullptr;
  const double x = std::strtod(a.c_str(), &end_a), y = std::strtod(b.c_str(), &end_b);
  const bool numbers = !a.empty() && !b.empty() && *end_a == '\0' && *end_b == '\0';
  return numbers && std::abs(x - y) <= 0.011 * std::abs(y);
}

bool same_row(const Row& a, const Row& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_cell);
}

// Rows that only one side has may be deliberate; the others must be the same in the same order.
void expect_table(Problems& problems, const std::string& name, const std::string& ours,
                  const std::string& wanted, const TrainCase& c) {
  auto a = rows_of(ours), b = rows_of(wanted);
  auto drop_excused = [&](std::vector<Row>& rows, const std::vector<Row>& others) {
    std::erase_if(rows, [&](const Row& row) {
      const bool known =
          std::ranges::any_of(others, [&](const Row& other) { return same_row(row, other); });
      return !known && c.differences.excuse({c.name, "texts", name, "", base::join(row, "|")}, "");
    });
  };
  drop_excused(b, a);
  drop_excused(a, b);
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    if (i < a.size() && i < b.size() && same_row(a[i], b[i])) continue;
    auto shown = [&](const std::vector<Row>& rows) {
      return i < rows.size() ? base::join(rows[i], "|") : std::string("nothing");
    };
    problems.push_back(
        fmt::format("text {}: row {} is '{}', expected '{}'", name, i, shown(a), shown(b)));
    return;
  }
}

// By step and name, as a collection's file has them.
std::map<std::pair<std::int64_t, std::string>, std::string> texts_of(const fs::path& folder) {
  std::map<std::pair<std::int64_t, std::string>, std::string> out;
  std::istringstream lines(base::read_file(folder / "metrics.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const Value row = konfig::parse_json(line);
    const Value* texts = row.as<Dict>().find("texts");
    if (!texts) continue;
    for (auto& [name, text] : texts->as<Dict>()) {
      out[{row.as<Dict>().at("step").as<std::int64_t>(), name.as<std::string>()}] =
          text.as<std::string>();
    }
  }
  return out;
}

}  // namespace

void expect_texts(Problems& problems, const fs::path& workdir, const TrainCase& c) {
  std::set<std::string> names;
  for (const Value& entry : c.outputs.at("texts").as<List>()) {
    const List& parts = entry.as<List>();
    const auto ours = texts_of(workdir / parts[0].as<std::string>());
    for (auto& [key, wanted] : parts[2].as<Dict>()) {
      const std::string name = key.as<std::string>();
      names.insert(name);
      auto found = ours.find({parts[1].as<std::int64_t>(), name});
      if (found == ours.end()) {
        problems.push_back("text " + name + " is missing");
      } else {
        expect_table(problems, name, found->second, wanted.as<std::string>(), c);
      }
    }
  }
  for (auto& [place, text] : texts_of(workdir / "train")) {
    const std::string& name = place.second;
    // The config is not recorded.
    if (name == "config" || names.contains(name)) continue;
    if (!c.differences.excuse({c.name, "texts", name, "", ""}, text)) {
      problems.push_back("text " + name + " is not the reference's");
    }
  }
}

void expect_checkpoint_items(Problems& problems, const kd::train::Trainer& trainer,
                             const fs::path& workdir, const TrainCase& c) {
  const Dict& timers = c.outputs.at("timer_json_keys").as<Dict>();
  const Dict& positions = c.outputs.at("ds_iter_files").as<Dict>();
  const bool in_memory = trainer.train_ds.holds<kd::data::InMemoryPipeline>();
  std::size_t seen_timers = 0, seen_positions = 0;
  kd::ckpts::Manager manager(trainer.checkpointer, workdir, true);
  for (std::int64_t step : manager.all_steps()) {
    const kd::ckpts::Snapshot snapshot = manager.restore(step);
    const std::string checkpoint = fmt::format("ckpt_{}", step);
    if (const Value* wanted = timers.find(checkpoint)) {
      ++seen_timers;
      std::set<std::string> keys;
      for (auto& [key, value] : snapshot.items.at("timer").as<Dict>()) {
        keys.insert(key.as<std::string>());
      }
      List ours;
      for (auto& key : keys) ours.push_back(key);
      if (!identical(ours, *wanted)) {
        problems.push_back(checkpoint + ": the timer has " + show(ours) + ", expected " +
                           show(*wanted));
      }
    }
    const Value* ours = snapshot.items.find("ds_iter");
    const Value* wanted = positions.find(checkpoint + "/process_0-of-1.json");
    if (wanted) ++seen_positions;
    if (!ours && !wanted) continue;
    if (ours && wanted && identical(*ours, konfig::parse_json(wanted->as<std::string>()))) continue;
    const std::string a = ours ? show(*ours) : "none", b = wanted ? show(*wanted) : "none";
    if (in_memory && c.differences.excuse({c.name, "", "", "ds_iter", b}, a)) continue;
    problems.push_back(checkpoint + ": the position in the data is " + a + ", expected " + b);
  }
  if (seen_timers != timers.size()) {
    problems.push_back(
        fmt::format("{} checkpoints have a timer, expected {}", seen_timers, timers.size()));
  }
  if (seen_positions != positions.size()) {
    problems.push_back(fmt::format("{} checkpoints have a position, expected {}", seen_positions,
                                   positions.size()));
  }
}

}  // namespace golden
