// Golden test of random keys and samplers: walks every case of $KD_GOLDEN/random (by default the
// copy in this folder) and compares with the reference.
#include <iostream>
#include <map>

#include "tests/golden/numbers.h"
#include "tests/golden/random_groups.h"

namespace golden {

namespace {

using konfig::Dict;
using konfig::Value;

Tensors run_case(const RandomCase& c) {
  if (c.group == "flax_init" || c.group == "flax_draws") return run_module_keys(c);
  if (auto out = run_keys(c)) return *out;
  if (auto out = run_samplers(c)) return *out;
  throw std::runtime_error("the runner does not know " + c.api);
}

struct Counts {
  int cases = 0, failed = 0;
};
struct Totals {
  std::map<std::string, Counts> groups;
  int rounded = 0, rounded_equal = 0;  // outputs with a tolerance, and those equal in all bits
};

void compare(const std::string& name, const Tensors& ours, const Tensors& wanted,
             const Tolerance& tolerance, std::vector<std::string>& problems, Totals& totals) {
  for (auto& [output, tensor] : wanted) {
    auto found = ours.find(output);
    std::string problem =
        found == ours.end() ? "is missing" : difference(found->second, tensor, tolerance);
    if (!problem.empty()) problems.push_back(name + " " + output + ": " + problem);
    if (problem.empty() && (tolerance.atol > 0 || tolerance.rtol > 0) &&
        tensor.is_floating_point()) {
      ++totals.rounded;
      totals.rounded_equal += difference(found->second, tensor, {}).empty();
    }
  }
  for (auto& [output, unused] : ours) {
    if (!wanted.contains(output)) problems.push_back(name + " " + output + ": is not wanted");
  }
}

int run() {
  Area area = load_area("random");
  Totals totals;
  for (const Value& value : area.cases) {
    const Dict& entry = value.as<Dict>();
    auto text = [&](const char* field) { return entry.at(field).as<std::string>(); };
    RandomCase c{.name = text("name"), .group = text("group"), .api = text("api")};
    Counts& counts = totals.groups[c.group];
    ++counts.cases;
    std::vector<std::string> problems;
    try {
      c.args = entry.at("args").as<Dict>();
      c.inputs = tensors_of(entry.at("inputs").as<Dict>(), area.tensors);
      compare(c.name, run_case(c), tensors_of(entry.at("outputs").as<Dict>(), area.tensors),
              tolerance_of(entry.at("tolerance")), problems, totals);
    } catch (const std::exception& error) {
      problems.push_back(c.name + ": " + error.what());
    }
    if (!problems.empty()) ++counts.failed;
    for (auto& problem : problems) std::cout << "FAIL " << problem << "\n";
  }

  Counts all;
  std::cout << "\nCases:";
  for (auto& [group, counts] : totals.groups) {
    std::cout << " " << group << " " << counts.cases;
    all.cases += counts.cases, all.failed += counts.failed;
  }
  std::cout << "\nFloat outputs with a tolerance: " << totals.rounded << ", of which "
            << totals.rounded_equal << " equal the reference in all bits\n\n"
            << all.cases - all.failed << " passed, " << all.failed << " failed, 0 skipped\n";
  return all.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace golden

int main() {
  try {
    return golden::run();
  } catch (const std::exception& e) {
    std::cout << "FAIL " << e.what() << "\n0 passed, 1 failed, 0 skipped\n";
    return 1;
  }
}
