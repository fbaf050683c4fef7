// The walk over a golden area.
#include "tests/golden/walk.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <stdexcept>

#include "base/file.h"
#include "konfig/json.h"
#include "test_paths.h"
#include "tests/golden/compare.h"

namespace golden {

using konfig::Dict;
using konfig::List;
using konfig::Value;

namespace {

std::string text_at(const Dict& c, const char* field) { return c.at(field).as<std::string>(); }

// Cases of some areas have a field for it, others a part of the name.
std::string group_of(const Dict& c) {
  if (const Value* group = c.find("group")) return group->as<std::string>();
  const std::string name = text_at(c, "name");
  return name.substr(0, name.find('/'));
}

Problems run_guarded(const RunCase& run, const Dict& c, Differences& differences) {
  try {
    return run(c, differences);
  } catch (const Skipped&) {
    throw;
  } catch (const std::exception& e) {
    return {std::string("the runner failed: ") + e.what()};
  }
}

int walk_cases(const std::string& area, const std::vector<std::string>& chosen, const RunCase& run,
               const List& cases) {
  auto differences = Differences::load(KD_GOLDEN_DEFAULT "/differences.yaml", area);
  std::map<std::string, std::pair<int, int>> groups;  // passed, all
  int passed = 0, failed = 0, skipped = 0;
  for (const Value& value : cases) {
    const Dict& c = value.as<Dict>();
    const std::string name = text_at(c, "name");
    auto starts = [&](const std::string& start) { return name.starts_with(start); };
    if (!chosen.empty() && std::ranges::none_of(chosen, starts)) continue;
    Problems problems;
    try {
      problems = run_guarded(run, c, differences);
    } catch (const Skipped& e) {
      std::cout << "SKIP " << name << " " << e.what() << "\n";
      ++skipped;
      continue;
    }
    for (auto& problem : problems) std::cout << "FAIL " << name << " " << problem << "\n";
    auto& [good, all] = groups[group_of(c)];
    good += problems.empty(), ++all;
    ++(problems.empty() ? passed : failed);
  }
  for (auto& [group, counts] : groups) {
    std::cout << group << " " << counts.first << "/" << counts.second << "\n";
  }
  const bool whole = chosen.empty() && golden_folder() == KD_GOLDEN_DEFAULT;
  for (const Difference& d : differences.entries) {
    std::cout << "difference (" << d.used << " outputs): " << d.reason << "\n";
    if (d.used > 0 || d.elsewhere || !whole) continue;
    std::cout << "FAIL this difference excuses nothing: remove it from differences.yaml\n";
    ++failed;
  }
  std::cout << passed << " passed, " << failed << " failed, " << skipped << " skipped\n";
  if (whole && skipped > 0) return 1;
  return failed == 0 && passed > 0 ? 0 : 1;
}

}  // namespace

int walk(const std::string& area, const std::vector<std::string>& chosen, const RunCase& run) {
  return walk(area, chosen, run, [&] { return cases_of(load_document(area)); });
}

int walk(const std::string& area, const std::vector<std::string>& chosen, const RunCase& run,
         const std::function<List()>& cases) {
  try {
    return walk_cases(area, chosen, run, cases());
  } catch (const std::exception& e) {
    std::cout << "FAIL " << e.what() << "\n";
    return 1;
  }
}

std::string golden_folder() {
  const char* given = std::getenv("KD_GOLDEN");
  return given && *given ? given : KD_GOLDEN_DEFAULT;
}

Value load_document(const std::string& area) {
  return konfig::parse_json(base::read_file(golden_folder() + "/" + area + "/cases.json"));
}

List cases_of(const Value& document) {
  return document.is<Dict>() ? document.as<Dict>().at("cases").as<List>() : document.as<List>();
}

Problems unknown_outputs(const Dict& outputs, std::initializer_list<const char*> known) {
  Problems out;
  for (auto& [key, value] : outputs) {
    const std::string name = key.as<std::string>();
    if (std::ranges::find(known, name) == known.end()) {
      out.push_back("the runner does not compare the output " + name);
    }
  }
  return out;
}

Problems unexcused(const std::vector<Mismatch>& mismatches, const Dict& c,
                   Differences& differences) {
  Problems out;
  const std::string input = show(c.at("args"));
  for (const Mismatch& m : mismatches) {
    const std::string topic = m.topic.empty() ? group_of(c) : m.topic;
    if (differences.excuse({text_at(c, "name"), topic, m.output, input, m.expected}, m.ours)) {
      continue;
    }
    out.push_back(m.output + " (" + topic + ")\n    args     " + input + "\n    expected " +
                  m.expected + "\n    got      " + m.ours);
  }
  return out;
}

}  // namespace golden
