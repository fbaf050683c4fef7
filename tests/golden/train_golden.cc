// Golden test of training: every run of $KD_GOLDEN/train (by default the copy in this folder) is
// trained again and compared. Arguments: only cases whose name starts with one of them.
#include <algorithm>
#include <iostream>

#include "test_paths.h"
#include "tests/golden/train_record.h"

namespace golden {
namespace {

using konfig::Dict;
using konfig::Value;

Tolerance bound(const Dict& tolerance, const char* name) {
  const Value* own = tolerance.find(name);
  return tolerance_of(own ? *own : Value(tolerance));
}

int run_all(const std::vector<std::string>& chosen) {
  const Area area = load_area("train");
  Differences differences = Differences::load(KD_GOLDEN_DEFAULT "/differences.yaml", "train");
  int passed = 0, failed = 0;
  for (const Value& value : area.cases) {
    const Dict& whole = value.as<Dict>();
    const std::string name = whole.at("name").as<std::string>();
    if (!chosen.empty() &&
        std::ranges::none_of(chosen, [&](auto& start) { return name.starts_with(start); })) {
      continue;
    }
    const Dict& args = whole.at("args").as<Dict>();
    const Dict& tolerance = whole.at("tolerance").as<Dict>();
    Tolerance params = bound(tolerance, "params");
    if (!tolerance.find("params")) params = {.atol = 2e-5, .rtol = 1e-4};
    const TrainCase c{
        .name = name,
        .args = args,
        .outputs = whole.at("outputs").as<Dict>(),
        .tensor_names = whole.at("tensors").as<Dict>(),
        .values = bound(tolerance, "losses_and_metrics"),
        .params = params,
        .tensors = area.tensors,
        .config_text = read_file(golden_folder() + "/train/" + args.at("config").as<std::string>()),
        .differences = differences};
    Problems problems;
    try {
      const bool trains = whole.at("api").as<std::string>() == "kd.train.Trainer.train";
      problems = trains ? run_training(c) : run_eval_only(c);
    } catch (const std::exception& e) {
      problems.push_back(e.what());
    }
    ++(problems.empty() ? passed : failed);
    std::cout << (problems.empty() ? "ok   " : "FAIL ") << name << "\n";
    for (auto& problem : problems) std::cout << "  " << problem << "\n";
  }
  for (auto& difference : differences.entries) {
    std::cout << "difference (" << difference.used << " times): " << difference.reason << "\n";
    if (difference.used > 0 || !chosen.empty() || !is_default_folder()) continue;
    std::cout << "FAIL this difference excuses nothing: remove it from differences.yaml\n";
    ++failed;
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
