// Golden test of kontext: walks every case of $KD_GOLDEN/kontext/cases.json (by default the copy in
// this folder) and compares with the reference. A further folder of the same form needs no new
// code.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "konfig/json.h"
#include "test_paths.h"
#include "tests/golden/compare.h"
#include "tests/golden/differences.h"
#include "tests/golden/kontext_groups.h"

namespace golden {
namespace {

using konfig::Dict;
using konfig::List;
using konfig::Value;

std::string read(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file);
  std::stringstream content;
  content << in.rdbuf();
  return content.str();
}

int run() {
  const char* given = std::getenv("KD_GOLDEN");
  std::string folder = given && *given ? given : KD_GOLDEN_DEFAULT;
  Value data = konfig::parse_json(read(folder + "/kontext/cases.json"));
  const List& cases = data.is<Dict>() ? data.as<Dict>().at("cases").as<List>() : data.as<List>();
  auto differences = Differences::load(KD_GOLDEN_DEFAULT "/differences.yaml", "kontext");

  int passed = 0, failed = 0;
  std::map<std::string, int> groups;
  for (const Value& value : cases) {
    const Dict& c = value.as<Dict>();
    const std::string& name = c.at("name").as<std::string>();
    const std::string& group = c.at("group").as<std::string>();
    std::vector<Problem> problems;
    try {
      problems = run_case(group, c.at("args").as<Dict>(), c.at("outputs").as<Dict>());
    } catch (const std::exception& e) {
      problems.push_back({"", "the runner failed", "", e.what()});
    }
    std::erase_if(problems, [&](const Problem& p) {
      return differences.excuse({name, p.topic, p.output, show(c.at("args")), p.expected}, p.ours);
    });
    ++(problems.empty() ? passed : failed);
    ++groups[group];
    for (const Problem& p : problems) {
      std::cout << "FAIL " << name << " " << p.output << " (" << p.topic << ")\n    args     "
                << show(c.at("args")) << "\n    expected " << p.expected << "\n    got      "
                << p.ours << "\n";
    }
  }

  std::cout << "\nCases:";
  for (const auto& [group, count] : groups) std::cout << " " << group << " " << count;
  std::cout << "\n\nDeliberate differences:\n";
  for (const Difference& d : differences.entries) {
    std::cout << "  " << d.reason << " (" << d.used << " outputs)\n";
    if (d.used == 0 && folder == KD_GOLDEN_DEFAULT) {
      std::cout << "FAIL this difference excuses nothing: remove it from differences.yaml\n";
      ++failed;
    }
  }
  std::cout << "\n" << passed << " passed, " << failed << " failed, 0 skipped\n";
  return failed == 0 ? 0 : 1;
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
