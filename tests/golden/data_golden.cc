// Golden test of kd/data: walks every case of $KD_GOLDEN/data (by default the copy in this folder)
// and compares with the reference. Arguments: only cases whose name starts with one of them.
#include <iostream>
#include <map>

#include "tests/golden/data_case.h"

namespace golden {
namespace {

using konfig::Dict;
using konfig::Value;

using Handler = Problems (*)(const DataCase&);

const std::map<std::string, Handler> kHandlers = {
    {"philox", run_philox}, {"in_memory", run_in_memory},   {"index_shuffle", run_index_shuffle},
    {"grain", run_grain},   {"transforms", run_transforms}, {"tf_transforms", run_tf_transforms},
    {"files", run_files},   {"events", run_events}};

bool is_chosen(const std::string& name, const std::vector<std::string>& chosen) {
  if (chosen.empty()) return true;
  for (auto& start : chosen) {
    if (name.starts_with(start)) return true;
  }
  return false;
}

Problems run(const DataCase& c, const std::string& group) {
  auto handler = kHandlers.find(group);
  if (handler == kHandlers.end()) return {"the runner does not know the group " + group};
  try {
    return handler->second(c);
  } catch (const std::exception& e) {
    return {e.what()};
  }
}

int run_all(const std::vector<std::string>& chosen) {
  const Area area = load_area("data");
  int passed = 0, failed = 0;
  std::map<std::string, std::pair<int, int>> groups;  // passed, all
  for (const Value& value : area.cases) {
    const Dict& whole = value.as<Dict>();
    const DataCase c{.name = whole.at("name").as<std::string>(),
                     .api = whole.at("api").as<std::string>(),
                     .args = whole.at("args").as<Dict>(),
                     .inputs = whole.at("inputs").as<Dict>(),
                     .outputs = whole.at("outputs").as<Dict>(),
                     .tolerance = tolerance_of(whole.at("tolerance")),
                     .tensors = area.tensors};
    if (!is_chosen(c.name, chosen)) continue;
    const std::string group = c.name.substr(0, c.name.find('/'));
    const Problems problems = run(c, group);
    auto& [good, all] = groups[group];
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
