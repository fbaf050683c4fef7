// Golden test of konfig: walks every case of $KD_GOLDEN/konfig/cases.json (by default the copy in
// this folder) and compares with the reference. A further folder of the same form needs no new
// code.
#include <regex>

#include "konfig/json.h"
#include "konfig/literal.h"
#include "konfig/print.h"
#include "konfig/yaml.h"
#include "tests/golden/compare.h"
#include "tests/golden/konfig_codec.h"
#include "tests/golden/konfig_program.h"
#include "tests/golden/konfig_sources.h"
#include "tests/golden/konfig_toys.h"
#include "tests/golden/walk.h"

namespace golden {
namespace {

using konfig::ConfigDict;
using konfig::Dict;
using konfig::Value;

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

Problems run(const Dict& c, Sources& sources, Differences& differences) {
  const std::string& name = c.at("name").as<std::string>();
  const std::string& group = c.at("group").as<std::string>();
  const Dict& args = c.at("args").as<Dict>();
  const Dict& outputs = c.at("outputs").as<Dict>();
  if (group == "program") return run_program(name, args, outputs, differences);
  if (group == "py_value") return run_py_value(name, args, outputs, differences);
  if (group == "example") return run_example(args, outputs);
  if (group == "flags") return sources.run_flags(name, args, outputs, differences);
  if (group == "snippet") return sources.run_snippet(name, args, outputs, differences);
  if (group != "flag_files") return {"unknown group " + group};
  sources.write_files(args);
  return {};
}

}  // namespace
}  // namespace golden

int main(int argc, char** argv) {
  golden::register_toys();
  golden::Sources sources;
  return golden::walk("konfig", {argv + 1, argv + argc},
                      [&](const konfig::Dict& c, golden::Differences& differences) {
                        return golden::run(c, sources, differences);
                      });
}
