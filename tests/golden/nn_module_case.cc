// A case that is a module: its first values, output, intermediates, state and gradients.
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <set>

#include "kd/core/grad.h"
#include "kd/core/ops.h"
#include "kd/nn/layers/embed.h"
#include "tests/golden/nn_case.h"

namespace golden {

using kd::Tensor;
using kd::Tree;
using kd::nn::Arguments;
using kd::nn::Out;
using konfig::Dict;
using konfig::List;
using konfig::Value;
using kontext::TreeRef;

namespace {

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

TreeRef plain(const Value& value) {
  if (auto* flag = value.get_if<bool>()) return TreeRef::own(*flag);
  if (auto* whole = value.get_if<std::int64_t>()) return TreeRef::own(*whole);
  if (auto* real = value.get_if<double>()) return TreeRef::own(*real);
  if (auto* text = value.get_if<std::string>()) return TreeRef::own(*text);
  if (value.is_none()) return TreeRef::none();
  return TreeRef::own(value);
}

// Inputs "0", "1", ... by position, others by name, and the plain values of `call`.
Arguments arguments_of(const Tensors& inputs, const Dict* call) {
  Arguments out;
  for (std::size_t i = 0; inputs.contains(std::to_string(i)); ++i) {
    out.positional.push_back(TreeRef::own(inputs.at(std::to_string(i))));
  }
  for (auto& [name, tensor] : inputs) {
    if (!is_number(name)) out.keywords.emplace_back(name, TreeRef::own(tensor));
  }
  if (call) {
    for (auto& [name, value] : *call) {
      out.keywords.emplace_back(name.as<std::string>(), plain(value));
    }
  }
  return out;
}

const Dict* dict_or_null(const Dict& args, const char* name) {
  auto* found = args.find(name);
  return found ? &found->as<Dict>() : nullptr;
}

Out call_method(const konfig::Poly<kd::Module>& module, const std::string& method,
                const Arguments& args) {
  if (method.empty()) return kd::nn::call_module(module, args);
  if (method == "attend") {
    auto& embed = module.as<kd::nn::Embed>();
    return Out(TreeRef::own(embed.attend(args.positional.at(0).to<Tensor>())));
  }
  throw std::runtime_error("the runner does not know the method " + method);
}

// The order in which the reference lists variables is that of our trees.
void check_order(const NnCase& c, const Tree& variables, NnResult& result) {
  auto* table = c.whole.find("variables");
  if (!table) return;
  std::vector<std::string> wanted, ours;
  for (const Value& row : table->as<List>()) {
    wanted.push_back(row.as<List>()[0].as<std::string>());
  }
  for (auto& [path, tensor] : kd::flatten(variables)) {
    ours.push_back(path);
    std::replace(ours.back().begin(), ours.back().end(), '.', '/');
  }
  if (ours != wanted) result.problems.push_back("the variables stand in another order");
}

Tensor weighted_sum(const Tensors& outputs, const Tensors& cotangents) {
  Tensor sum = at::zeros({});
  for (auto& [name, cotangent] : cotangents) {
    sum = sum + (outputs.at(name) * cotangent).sum();
  }
  return sum;
}

}  // namespace

NnResult run_module_case(const NnCase& c) {
  NnResult result;
  auto module = module_of(c.args.at("module"));
  Tensors inputs, cotangents;
  for (auto& [name, tensor] : c.inputs) {
    bool is_cotangent = name == "cotangent" || name.starts_with("cotangent/");
    if (is_cotangent) {
      cotangents["out" + name.substr(std::string("cotangent").size())] = tensor;
    } else {
      inputs[name] = tensor;
    }
  }
  std::optional<bool> training;
  if (auto* given = c.args.find("is_training_property")) training = given->as<bool>();
  auto* call = dict_or_null(c.args, "call");
  auto* init_call = dict_or_null(c.args, "init_call");

  auto first = arguments_of(inputs, init_call ? init_call : call);
  Tree variables =
      kd::nn::initialize([&] { return kd::nn::call_module(module, first); },
                         {.rngs = init_rngs(c.args), .is_training_property = training});
  add_leaves(result.outputs, "", variables);
  check_order(c, variables, result);

  // From here on with the reference's own values: errors do not add up.
  bool capture = false, has_grads = !cotangents.empty();
  std::set<std::string> changing, collections;
  for (auto& [name, tensor] : c.outputs) {
    std::string kind = name.substr(0, name.find('/'));
    if (kind == "interms") capture = true;
    if (kind == "updated") changing.insert(name.substr(8, name.find('/', 8) - 8));
  }
  for (std::size_t i = 0; i < variables.size(); ++i) collections.insert(variables.name(i));
  Tree given = Tree::dict();
  for (auto& name : collections) given[name] = tree_of(c.outputs, name);
  if (has_grads && given.contains("params")) given["params"] = kd::tracked(given["params"]);
  if (has_grads) {
    for (auto& [name, tensor] : inputs) tensor = kd::tracked(tensor);
  }
  std::string method;
  if (auto* named = c.args.find("method")) method = named->as<std::string>();
  auto args = arguments_of(inputs, call);
  auto applied = kd::nn::apply([&] { return call_method(module, method, args); }, given,
                               {.rngs = apply_rngs(c.args),
                                .is_training_property = training,
                                .capture_intermediates = capture,
                                .mutable_collections = {changing.begin(), changing.end()}});

  Tensors outs;
  add_leaves(outs, "out", applied.out.tree());
  for (auto& [name, tensor] : outs) result.outputs[name] = tensor;
  if (capture) add_leaves(result.outputs, "interms", applied.interms);
  if (!changing.empty()) add_leaves(result.outputs, "updated", applied.changed);
  if (!has_grads) return result;

  std::vector<std::string> names;
  std::vector<Tensor> wrt;
  if (given.contains("params")) {
    for (auto& [path, tensor] : kd::flatten(given["params"])) {
      names.push_back("grads/" + path);
      std::replace(names.back().begin(), names.back().end(), '.', '/');
      wrt.push_back(tensor);
    }
  }
  for (auto& [name, tensor] : inputs) {
    if (!tensor.is_floating_point()) continue;
    names.push_back("grad_in/" + name);
    wrt.push_back(tensor);
  }
  auto grads = kd::grad(weighted_sum(outs, cotangents), wrt);
  for (std::size_t i = 0; i < grads.size(); ++i) result.outputs[names[i]] = grads[i];
  return result;
}

}  // namespace golden
