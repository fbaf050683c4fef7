// Golden test of konfig: walks every case of $KD_GOLDEN/konfig/cases.json (by default the copy in
// this folder) and compares with the reference. A further folder of the same form needs no new
// code.
#include "konfig/json.h"
#include "konfig/literal.h"
#include "tests/golden/compare.h"
#include "tests/golden/konfig_codec.h"
#include "tests/golden/konfig_examples.h"
#include "tests/golden/konfig_program.h"
#include "tests/golden/konfig_sources.h"
#include "tests/golden/konfig_toys.h"
#include "tests/golden/walk.h"

namespace golden {
namespace {

using konfig::Dict;
using konfig::Value;

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

Problems run(const Dict& c, Sources& sources, Differences& differences) {
  const std::string& name = c.at("name").as<std::string>();
  const std::string& group = c.at("group").as<std::string>();
  const Dict& args = c.at("args").as<Dict>();
  const Dict& outputs = c.at("outputs").as<Dict>();
  if (group == "program") return run_program(name, args, outputs, differences);
  if (group == "py_value") return run_py_value(name, args, outputs, differences);
  if (group == "example") return run_example(c, sources, differences);
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
