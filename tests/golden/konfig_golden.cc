// Golden test of konfig: walks every case of $KD_GOLDEN/konfig/cases.json (by default the copy in
// this folder) and compares with the reference. A further folder of the same form needs no new
// code.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <regex>
#include <sstream>

#include "konfig/json.h"
#include "konfig/literal.h"
#include "konfig/print.h"
#include "konfig/yaml.h"
#include "test_paths.h"
#include "tests/golden/compare.h"
#include "tests/golden/konfig_codec.h"
#include "tests/golden/konfig_program.h"
#include "tests/golden/konfig_sources.h"
#include "tests/golden/konfig_toys.h"

namespace golden {
namespace {

using konfig::ConfigDict;
using konfig::Dict;
using konfig::List;
using konfig::Value;
using Problems = std::vector<std::string>;

std::string read(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file);
  std::stringstream content;
  content << in.rdbuf();
  return content.str();
}

std::string difference_text(const std::string& what, const std::string& expected,
                            const std::string& got) {
  std::size_t at = 0;
  while (at < expected.size() && at < got.size() && expected[at] == got[at]) ++at;
  std::size_t from = at < 60 ? 0 : at - 60;
  return what + " differs at " + std::to_string(at) + "\n    expected ..." +
         expected.substr(from, 160) + "\n    got      ..." + got.substr(from, 160);
}

Problems run_py_value(const std::string& name, const Dict& args, const Dict& outputs,
                      Differences& differences) {
  const std::string& text = args.at("text").as<std::string>();
  const Value* expected = outputs.find("value");
  std::string shown, problem;
  try {
    Value ours = encode(konfig::parse_py(text));
    shown = show(ours);
    if (!expected || !identical(ours, *expected)) problem = "differs";
  } catch (const konfig::Error& e) {
    shown = e.what();
    problem = expected ? "an error" : error_mismatch(outputs, e);
  }
  if (problem.empty()) return {};
  if (differences.excuse({name, "", "", text, show(outputs)}, shown)) return {};
  return {"py::" + text + ": " + problem + "\n    expected " + show(outputs) + "\n    got      " +
          shown};
}

// Tuples come back from JSON as lists: there a parenthesis may be a bracket.
bool same_print(const std::string& expected, const std::string& got) {
  if (expected.size() != got.size()) return false;
  for (std::size_t i = 0; i < got.size(); ++i) {
    bool bracket = (expected[i] == '(' && got[i] == '[') || (expected[i] == ')' && got[i] == ']');
    if (expected[i] != got[i] && !bracket) return false;
  }
  return true;
}

std::string without_ids(const std::string& json) {
  static const std::regex id(R"re((, )?"__id__": \d+)re");
  return std::regex_replace(json, id, "");
}

// The printing and serialising side of the examples; building and resolving them is another test.
Problems run_example(const Dict& args, const Dict& outputs) {
  Problems problems;
  if (outputs.find("error")) return problems;
  std::string file = args.at("file").as<std::string>() + ": ";
  const std::string& json = outputs.at("json").as<std::string>();
  ConfigDict cfg = konfig::config_from_json(json);
  std::string again = konfig::to_json(cfg);
  bool exact = outputs.at("json_of_reload_equal").as<bool>();
  if (exact ? again != json : without_ids(again) != without_ids(json)) {
    problems.push_back(difference_text(file + "JSON of the reloaded config", json, again));
  }
  if (konfig::to_json(konfig::config_from_json(again)) != again) {
    problems.push_back(file + "JSON changes on the second reload");
  }
  const std::string& print = outputs.at("repr").as<std::string>();
  if (!same_print(print, konfig::repr(cfg))) {
    problems.push_back(difference_text(file + "printing", print, konfig::repr(cfg)));
  }
  std::string from_yaml = konfig::to_json(konfig::config_from_yaml(konfig::to_yaml(cfg)));
  if (from_yaml != again) {
    problems.push_back(difference_text(file + "JSON after YAML", again, from_yaml));
  }
  return problems;
}

int run() {
  const char* given = std::getenv("KD_GOLDEN");
  std::string folder = given && *given ? given : KD_GOLDEN_DEFAULT;
  Value data = konfig::parse_json(read(folder + "/konfig/cases.json"));
  const List& cases = data.is<Dict>() ? data.as<Dict>().at("cases").as<List>() : data.as<List>();
  auto differences = Differences::load(KD_GOLDEN_DEFAULT "/differences.yaml", "konfig");
  register_toys();
  Sources sources;

  int passed = 0, failed = 0;
  for (const Value& value : cases) {
    const Dict& c = value.as<Dict>();
    const std::string& name = c.at("name").as<std::string>();
    const std::string& group = c.at("group").as<std::string>();
    const Dict& args = c.at("args").as<Dict>();
    const Dict& outputs = c.at("outputs").as<Dict>();
    Problems problems;
    try {
      if (group == "program") {
        problems = run_program(name, args, outputs, differences);
      } else if (group == "py_value") {
        problems = run_py_value(name, args, outputs, differences);
      } else if (group == "example") {
        problems = run_example(args, outputs);
      } else if (group == "flag_files") {
        sources.write_files(args);
      } else if (group == "flags") {
        problems = sources.run_flags(name, args, outputs, differences);
      } else if (group == "snippet") {
        problems = sources.run_snippet(name, args, outputs, differences);
      } else {
        problems.push_back("unknown group " + group);
      }
    } catch (const std::exception& e) {
      problems.push_back(e.what());
    }
    ++(problems.empty() ? passed : failed);
    for (const std::string& problem : problems)
      std::cout << "FAIL " << name << " " << problem << "\n";
  }

  std::cout << "\nDeliberate differences:\n";
  for (const Difference& d : differences.entries) {
    std::cout << "  " << d.reason << " (" << d.used << " outputs)\n";
    bool default_folder = folder == KD_GOLDEN_DEFAULT;
    if (d.used == 0 && default_folder) {
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
