// Golden test of random keys and samplers: walks every case of $KD_GOLDEN/random (by default the
// copy in this folder) and compares with the reference.
#include <iostream>

#include "tests/golden/numbers.h"
#include "tests/golden/random_groups.h"

namespace golden {
namespace {

using konfig::Dict;

Tensors run_case(const RandomCase& c) {
  if (c.group == "flax_init" || c.group == "flax_draws") return run_module_keys(c);
  if (auto out = run_keys(c)) return *out;
  if (auto out = run_samplers(c)) return *out;
  throw std::runtime_error("the runner does not know " + c.api);
}

// Outputs with a tolerance, and those of them that equal the reference's in all bits.
int rounded = 0, rounded_equal = 0;

Problems compare(const Tensors& ours, const Tensors& wanted, const Tolerance& tolerance) {
  Problems problems;
  for (auto& [output, tensor] : wanted) {
    auto found = ours.find(output);
    std::string problem =
        found == ours.end() ? "is missing" : difference(found->second, tensor, tolerance);
    if (!problem.empty()) problems.push_back(output + ": " + problem);
    if (problem.empty() && (tolerance.atol > 0 || tolerance.rtol > 0) &&
        tensor.is_floating_point()) {
      ++rounded;
      rounded_equal += difference(found->second, tensor, {}).empty();
    }
  }
  for (auto& [output, unused] : ours) {
    if (!wanted.contains(output)) problems.push_back(output + ": is not wanted");
  }
  return problems;
}

Problems run(const Dict& whole, Differences&) {
  static const Tensors tensors = load_tensors("random");
  auto text = [&](const char* field) { return whole.at(field).as<std::string>(); };
  const RandomCase c{.name = text("name"),
                     .group = text("group"),
                     .api = text("api"),
                     .args = whole.at("args").as<Dict>(),
                     .inputs = tensors_of(whole.at("inputs").as<Dict>(), tensors)};
  return compare(run_case(c), tensors_of(whole.at("outputs").as<Dict>(), tensors),
                 tolerance_of(whole.at("tolerance")));
}

}  // namespace
}  // namespace golden

int main(int argc, char** argv) {
  const int result = golden::walk("random", {argv + 1, argv + argc}, golden::run);
  std::cout << "float outputs with a tolerance: " << golden::rounded << ", of which "
            << golden::rounded_equal << " equal the reference in all bits\n";
  return result;
}
