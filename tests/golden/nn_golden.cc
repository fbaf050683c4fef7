// Golden test of kd/nn: walks every case of $KD_GOLDEN/nn (by default those in this folder) and
// compares with the reference. Arguments: only cases whose name starts with one of them.
#include <iostream>
#include <map>

#include "tests/golden/nn_case.h"
#include "tests/golden/numbers.h"

namespace golden {
namespace {

using konfig::Dict;
using konfig::Value;

// Tolerances may differ by the kind of output; those of first values are fixed.
Tolerance tolerance_for(const NnCase& c, const std::string& output) {
  std::string kind = output.substr(0, output.find('/'));
  const Value& whole = c.whole.at("tolerance");
  bool variable = kind == "params" || kind == "batch_stats";
  if (variable) {
    // Orthogonal matrices come out of a factorisation.
    return {.atol = c.group == "rnn" ? 5e-6 : 1e-7, .rtol = 1e-6};
  }
  auto* dict = whole.get_if<Dict>();
  auto* atol = dict ? dict->find("atol") : nullptr;
  if (!atol || !atol->is<Dict>()) return tolerance_of(whole);
  auto* of_kind = atol->as<Dict>().find(kind);
  return {.atol = of_kind ? number(*of_kind) : 0, .rtol = number(dict->at("rtol"))};
}

std::vector<std::string> compare(const NnCase& c, const NnResult& result) {
  std::vector<std::string> problems = result.problems;
  for (auto& [name, wanted] : c.outputs) {
    auto ours = result.outputs.find(name);
    std::string what = ours == result.outputs.end()
                           ? "missing"
                           : difference(ours->second, wanted, tolerance_for(c, name));
    if (!what.empty()) problems.push_back(name + ": " + what);
  }
  for (auto& [name, tensor] : result.outputs) {
    if (!c.outputs.contains(name)) problems.push_back(name + ": the reference has no such output");
  }
  return problems;
}

NnResult run(const NnCase& c) {
  if (auto* handler = find_nn_handler(c.api)) return (*handler)(c);
  auto* module = c.args.find("module");
  if (module && module->as<Dict>().at("__qualname__") == Value(c.api)) return run_module_case(c);
  return {.problems = {"the runner does not know the api " + c.api}};
}

bool is_chosen(const std::string& name, const std::vector<std::string>& chosen) {
  if (chosen.empty()) return true;
  for (auto& start : chosen) {
    if (name.starts_with(start)) return true;
  }
  return false;
}

using Groups = std::map<std::string, std::pair<int, int>>;  // passed, all

void run_area(const Area& area, const std::vector<std::string>& chosen, Groups& groups) {
  for (const Value& value : area.cases) {
    const Dict& whole = value.as<Dict>();
    NnCase c{.name = whole.at("name").as<std::string>(),
             .group = whole.at("group").as<std::string>(),
             .api = whole.at("api").as<std::string>(),
             .whole = whole,
             .args = whole.at("args").as<Dict>(),
             .inputs = tensors_of(whole.at("inputs").as<Dict>(), area.tensors),
             .outputs = tensors_of(whole.at("outputs").as<Dict>(), area.tensors)};
    if (!is_chosen(c.name, chosen)) continue;
    std::vector<std::string> problems;
    try {
      problems = compare(c, run(c));
    } catch (const std::exception& e) {
      problems.push_back(e.what());
    }
    auto& [good, all] = groups[c.group];
    good += problems.empty(), ++all;
    for (auto& problem : problems) std::cout << "FAIL " << c.name << " " << problem << "\n";
  }
}

int run_all(const std::vector<std::string>& chosen) {
  int passed = 0, failed = 0;
  Groups groups;
  run_area(load_area("nn"), chosen, groups);
  for (auto& [group, counts] : groups) {
    std::cout << group << " " << counts.first << "/" << counts.second << "\n";
    passed += counts.first, failed += counts.second - counts.first;
  }
  std::cout << passed << " passed, " << failed << " failed, 0 skipped\n";
  return failed == 0 && passed > 0 ? 0 : 1;
}

}  // namespace
}  // namespace golden

int main(int argc, char** argv) {
  try {
    return golden::run_all({argv + 1, argv + argc});
  } catch (const std::exception& e) {
    std::cout << "FAIL " << e.what() << "\n0 passed, 1 failed, 0 skipped\n";
    return 1;
  }
}
