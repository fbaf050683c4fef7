// Golden test of kd/optim: walks every case of $KD_GOLDEN/optim (by default the copy in this
// folder) and compares with the reference. Arguments: only cases whose name starts with one of
// them.
#include <algorithm>
#include <iostream>
#include <map>

#include "tests/golden/optim_case.h"

namespace golden {
namespace {

using konfig::Dict;
using konfig::Value;

bool is_chosen(const std::string& name, const std::vector<std::string>& chosen) {
  return chosen.empty() || std::any_of(chosen.begin(), chosen.end(), [&](const std::string& start) {
           return name.starts_with(start);
         });
}

Dict dict_at(const Dict& dict, const char* key) { return dict.at(key).as<Dict>(); }

int run_all(const std::vector<std::string>& chosen) {
  const Area area = load_area("optim");
  const Dict& document = area.document.as<Dict>();
  int passed = 0, failed = 0;
  std::map<std::string, std::pair<int, int>> groups;  // passed, all
  for (const Value& value : area.cases) {
    const Dict& whole = value.as<Dict>();
    const OptimCase c{.name = whole.at("name").as<std::string>(),
                      .group = whole.at("group").as<std::string>(),
                      .args = dict_at(whole, "args"),
                      .inputs = dict_at(whole, "inputs"),
                      .outputs = dict_at(whole, "outputs"),
                      .tolerance = whole.at("tolerance")};
    if (!is_chosen(c.name, chosen)) continue;
    std::vector<std::string> problems;
    try {
      problems = run_optim_case(c, dict_at(document, "data"), area.tensors);
    } catch (const std::exception& e) {
      problems.push_back(e.what());
    }
    auto& [good, all] = groups[c.group];
    good += problems.empty(), ++all;
    ++(problems.empty() ? passed : failed);
    for (auto& problem : problems) std::cout << "FAIL " << c.name << " " << problem << "\n";
  }
  for (auto& [group, counts] : groups) {
    std::cout << group << " " << counts.first << "/" << counts.second << "\n";
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
