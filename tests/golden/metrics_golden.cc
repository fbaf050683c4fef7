// Golden test of kd/metrics and kd/summaries: walks every case of $KD_GOLDEN/metrics (by default
// the copy in this folder) and compares with the reference. Arguments: only cases whose name starts
// with one of them.
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>

#include "kd/metrics/engine/metric.h"
#include "tests/golden/metrics_states.h"
#include "tests/golden/metrics_summaries.h"

namespace golden {
namespace {

using kd::Metric;
using kd::Tree;
using kd::metrics::State;
using konfig::Dict;
using konfig::List;
using konfig::Value;

// The scalar leaves of a state. The tolerance of a case is measured on its value; a sum in a state
// may be much smaller than its terms.
void compare_state(std::vector<Mismatch>& out, const std::string& what, const State& state,
                   const Value& wanted, const ComponentCase& c) {
  constexpr double kRoundingOfSums = 1e-6;
  ComponentCase sums = c;
  sums.tolerance.atol = std::max(sums.tolerance.atol, kRoundingOfSums);
  compare_value(out, what, state.tree(), wanted, sums);
}

std::vector<Mismatch> run_metric(const ComponentCase& c) {
  const Dict& wanted = c.outputs.as<Dict>();
  auto metric = component_of<Metric>(Value(c.args));
  std::vector<Mismatch> out;
  State merged = kd::metrics::empty(metric);
  std::size_t i = 0;
  for (const Value& inputs : c.inputs.as<List>()) {
    Tree context = context_of(inputs.as<Dict>(), *c.tensors);
    State state = kd::metrics::get_state(metric, context);
    std::string at = "[" + std::to_string(i) + "]";
    if (auto* states = wanted.find("states")) {
      compare_state(out, "states" + at, state, states->as<List>()[i], c);
    }
    if (auto* each = wanted.find("each")) {
      const Value& expected = each->as<List>()[i];
      compare_value(out, "each" + at, state.finalize().compute(), expected, c);
      compare_value(out, "call" + at, metric(context), expected, c);
    }
    merged = std::move(merged).merge(state);
    ++i;
  }
  if (auto* state = wanted.find("merged")) compare_state(out, "merged", merged, *state, c);
  compare_value(out, "value", merged.finalize().compute(), wanted.at("value"), c);
  return out;
}

// What the error cases without inputs mean, as generate.py has it.
Tree made_up_context(const ComponentCase& c) {
  if (c.api.ends_with("RocAuc")) {
    auto labels = at::zeros({9, 1}, at::kInt);
    for (int i = 0; i < 9; ++i) labels[i][0] = i % 3;
    return Tree::dict({{"batch", Tree::dict({{"y", labels}})},
                       {"preds", Tree::dict({{"x", at::zeros({9, 3})}})}});
  }
  auto dense = Tree::dict({{"kernel", at::zeros({2, 3})}, {"bias", at::zeros({3})}});
  auto params = Tree::dict({{"encoder", Tree::dict({{"dense", dense}})},
                            {"head", Tree::dict({{"kernel", at::zeros({3, 1})}})},
                            {"scale", at::zeros({})}});
  return Tree::dict({{"params", params}, {"grads", params}});
}

std::vector<Mismatch> run_error(const ComponentCase& c) {
  if (!c.args.find("__qualname__")) return run_state_error(c);
  std::vector<Mismatch> out;
  compare_error(out, c.outputs.as<Dict>().at("exception").as<std::string>(), [&] {
    auto metric = component_of<Metric>(Value(c.args));
    const Dict& inputs = c.inputs.as<Dict>();
    metric(inputs.size() == 0 ? made_up_context(c) : context_of(inputs, *c.tensors));
  });
  return out;
}

std::vector<Mismatch> run(const ComponentCase& c) {
  if (c.group == "average") return run_average(c);
  if (c.group == "state") return run_states(c);
  if (c.group == "error") return run_error(c);
  if (c.group == "summary") return run_summary(c);
  if (c.api.ends_with("MeanCov.from_samples")) return run_mean_cov(c);
  return run_metric(c);
}

}  // namespace
}  // namespace golden

int main(int argc, char** argv) {
  return golden::walk_components("metrics", {argv + 1, argv + argc}, golden::run);
}
