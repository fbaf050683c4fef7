// Golden test of kd/nn: walks every case of $KD_GOLDEN/nn (by default those in this folder) and
// compares with the reference. Arguments: only cases whose name starts with one of them.
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

Problems compare(const NnCase& c, const NnResult& result) {
  Problems problems = result.problems;
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

NnResult result_of(const NnCase& c) {
  if (auto* handler = find_nn_handler(c.api)) return (*handler)(c);
  auto* module = c.args.find("module");
  if (module && module->as<Dict>().at("__qualname__") == Value(c.api)) return run_module_case(c);
  return {.problems = {"the runner does not know the api " + c.api}};
}

Problems run(const Dict& whole, Differences&) {
  static const Tensors tensors = load_tensors("nn");
  const NnCase c{.name = whole.at("name").as<std::string>(),
                 .group = whole.at("group").as<std::string>(),
                 .api = whole.at("api").as<std::string>(),
                 .whole = whole,
                 .args = whole.at("args").as<Dict>(),
                 .inputs = tensors_of(whole.at("inputs").as<Dict>(), tensors),
                 .outputs = tensors_of(whole.at("outputs").as<Dict>(), tensors)};
  return compare(c, result_of(c));
}

}  // namespace
}  // namespace golden

int main(int argc, char** argv) { return golden::walk("nn", {argv + 1, argv + argc}, golden::run); }
