// Golden test of kd/losses: walks every case of $KD_GOLDEN/losses (by default the copy in this
// folder) and compares values, states, totals and gradients with the reference. Arguments: only
// cases whose name starts with one of them.
#include <ATen/ops/full.h>

#include "kd/core/grad.h"
#include "kd/losses/engine/loss.h"
#include "tests/golden/component_case.h"

namespace golden {
namespace {

using kd::Loss;
using kd::Tensor;
using kd::Tree;
using kd::metrics::State;
using konfig::Dict;
using konfig::List;
using konfig::Poly;
using konfig::Value;

void compare_tensor(std::vector<Mismatch>& out, const std::string& what, const Tensor& ours,
                    const Value& wanted, const ComponentCase& c) {
  compare_value(out, what, ours, Dict{{"tensor", wanted}}, c);
}

void compare_number(std::vector<Mismatch>& out, const std::string& what, const Tensor& ours,
                    const Value& wanted, const ComponentCase& c) {
  compare_value(out, what, ours, wanted, c);
  if (ours.scalar_type() != at::kFloat) out.push_back({what + ".dtype", "float32", "another"});
}

// {value, count}
void compare_state(std::vector<Mismatch>& out, const std::string& what, const State& state,
                   const Dict& wanted, const ComponentCase& c) {
  Tree fields = state.tree();
  for (auto name : {"value", "count"}) {
    compare_number(out, what + "." + name, fields[name].tensor(), wanted.at(name), c);
  }
}

// The leaf that a dotted path names.
Tree& leaf(Tree& tree, const std::string& path) {
  auto dot = path.find('.');
  return dot == path.npos ? tree.at(path)
                          : leaf(tree.at(path.substr(0, dot)), path.substr(dot + 1));
}

std::vector<Mismatch> run_losses(const ComponentCase& c) {
  const Dict& wanted = c.outputs.as<Dict>();
  kd::Map<Poly<Loss>> losses;
  for (auto& [name, config] : c.args) {
    losses[name.as<std::string>()] = component_of<Loss>(config);
  }
  Tree context = context_of(c.inputs.as<Dict>(), *c.tensors);
  std::vector<Tensor> inputs;
  for (auto& [path, unused] : wanted.at("grad").as<Dict>()) {
    Tree& input = leaf(context, path.as<std::string>());
    input = kd::tracked(input.tensor());
    inputs.push_back(input.tensor());
  }

  std::vector<Mismatch> out;
  auto [total, states] = kd::losses::compute_losses(losses, context);
  compare_number(out, "total", total, wanted.at("total"), c);
  for (auto& [name, state] : states) {
    Tensor values = kd::losses::get_values(losses.at(name), context);
    compare_tensor(out, "values." + name, values, wanted.at("values").as<Dict>().at(name), c);
    compare_state(out, "state." + name, state, wanted.at("state").as<Dict>().at(name).as<Dict>(),
                  c);
    compare_number(out, "loss." + name, state.compute().tensor(),
                   wanted.at("loss").as<Dict>().at(name), c);
    compare_number(out, "call." + name, losses.at(name)(context),
                   wanted.at("loss").as<Dict>().at(name), c);
  }
  if (states.size() != wanted.at("state").as<Dict>().size()) {
    out.push_back({"states", "one per loss", std::to_string(states.size())});
  }
  std::vector<Tensor> grads = kd::grad(total, inputs);
  std::size_t i = 0;
  for (auto& [path, tensor] : wanted.at("grad").as<Dict>()) {
    compare_tensor(out, "grad." + path.as<std::string>(), grads[i++], tensor, c);
  }
  return out;
}

std::vector<Mismatch> run_merge(const ComponentCase& c) {
  const Dict& wanted = c.outputs.as<Dict>();
  auto loss = component_of<Loss>(Value(c.args));
  auto metric = component_of<kd::Metric>(Value(c.args));  // a loss is a metric
  std::vector<Mismatch> out;
  State merged = kd::metrics::empty(metric);
  compare_number(out, "loss_of_empty", merged.compute().tensor(), wanted.at("loss_of_empty"), c);
  std::size_t i = 0;
  for (const Value& inputs : c.inputs.as<List>()) {
    const Dict& expected = wanted.at("states").as<List>()[i].as<Dict>();
    std::string what = "states[" + std::to_string(i++) + "]";
    State state = kd::losses::get_state(loss, context_of(inputs.as<Dict>(), *c.tensors));
    compare_state(out, what, state, expected, c);
    compare_number(out, what + ".loss", state.compute().tensor(), expected.at("loss"), c);
    merged = std::move(merged).merge(state);
  }
  compare_state(out, "merged", merged, wanted.at("merged").as<Dict>(), c);
  Tree value = merged.finalize().compute();
  compare_number(out, "loss", value.tensor(), wanted.at("loss"), c);
  return out;
}

std::vector<Mismatch> run_error(const ComponentCase& c) {
  std::vector<Mismatch> out;
  compare_error(out, c.outputs.as<Dict>().at("exception").as<std::string>(), [&] {
    auto loss = component_of<Loss>(Value(c.args));
    kd::losses::get_state(loss, context_of(c.inputs.as<Dict>(), *c.tensors));
  });
  return out;
}

std::vector<Mismatch> run(const ComponentCase& c) {
  if (c.group == "merge") return run_merge(c);
  if (c.group == "error") return run_error(c);
  return run_losses(c);
}

}  // namespace
}  // namespace golden

int main(int argc, char** argv) {
  return golden::walk_components("losses", {argv + 1, argv + argc}, golden::run);
}
