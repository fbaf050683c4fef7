// Cases that are no plain call of a module: initializers, Embed.attend, BatchNorm over several
// steps, single steps of recurrent cells.
#include "kd/core/grad.h"
#include "kd/core/ops.h"
#include "kd/nn/engine/initializer.h"
#include "kd/nn/initializers/initializers_scaled.h"
#include "kd/nn/layers/embed.h"
#include "konfig/config_dict.h"
#include "konfig/resolve.h"
#include "tests/golden/nn_case.h"

namespace golden {

using kd::Tensor;
using kd::Tree;
using konfig::Dict;
using konfig::Value;
using kontext::TreeRef;
namespace nn = kd::nn;

namespace {

// "flax.linen.initializers.normal" with its arguments, a shape, a seed and a dtype.
NnResult run_initializer(const NnCase& c) {
  Dict node;
  std::string prefix = "flax.linen.initializers.";
  node.set("__qualname__", "flax.linen:initializers." + c.api.substr(prefix.size()));
  for (auto& [name, value] : c.args) {
    auto& text = name.as<std::string>();
    if (text != "shape" && text != "seed" && text != "dtype") node.set(name, value);
  }
  Value built = konfig::resolve(Value(konfig::ConfigDict(node)));
  auto initializer = konfig::load<konfig::Poly<kd::Initializer>>(built);
  auto* dtype = c.args.find("dtype");
  Tensor value = initializer(kd::random::key(c.args.at("seed").as<std::int64_t>()),
                             integers(c.args.at("shape")),
                             dtype ? dtype_of(dtype->as<std::string>()) : at::kFloat);
  return {.outputs = {{"value", value}}};
}

NnResult run_attend(const NnCase& c) {
  NnResult result;
  auto module = module_of(c.args.at("module"));
  auto& embed = module.as<nn::Embed>();
  const Tensor& query = c.inputs.at("query");
  auto attend = [&] { return embed.attend(query); };
  Tree variables = nn::initialize(attend, {.rngs = init_rngs(c.args)});
  add_leaves(result.outputs, "", variables);
  Tree given = Tree::dict({{"params", tree_of(c.outputs, "params")}});
  result.outputs["out"] = nn::apply(attend, given, {}).out;
  return result;
}

// init, one training call per input but the last, evaluation on that.
NnResult run_batch_norm(const NnCase& c) {
  NnResult result;
  auto module = module_of(c.args.at("module"));
  auto call = [&](std::size_t i, bool running) {
    nn::Arguments args{.positional = {TreeRef::own(c.inputs.at("x" + std::to_string(i)))}};
    args.keywords.emplace_back("use_running_average", TreeRef::own(running));
    return nn::call_module(module, args);
  };
  Tree variables = nn::initialize([&] { return call(0, false); }, {.rngs = init_rngs(c.args)});
  add_leaves(result.outputs, "", variables);
  std::size_t last = c.inputs.size() - 1;
  for (std::size_t i = 0; i < last; ++i) {
    auto step = nn::apply([&] { return call(i, false); }, variables,
                          {.mutable_collections = {"batch_stats"}});
    variables["batch_stats"] = step.changed["batch_stats"];
    std::string name = "step" + std::to_string(i);
    result.outputs[name + "/out"] = step.out;
    add_leaves(result.outputs, name, step.changed);
  }
  result.outputs["eval/out"] = nn::apply([&] { return call(last, true); }, variables, {}).out;
  return result;
}

// One step of a recurrent cell from a given state.
NnResult run_cell(const NnCase& c) {
  NnResult result;
  auto module = module_of(c.args.at("module"));
  TreeRef carry;
  if (c.inputs.contains("carry")) {
    carry = TreeRef::own(c.inputs.at("carry"));
  } else {
    std::vector<Tensor> parts;
    for (std::size_t i = 0; c.inputs.contains("carry/" + std::to_string(i)); ++i) {
      parts.push_back(c.inputs.at("carry/" + std::to_string(i)));
    }
    carry = TreeRef::own(parts);
  }
  auto call = [&] { return module(carry, c.inputs.at("x")); };
  Tree variables = nn::initialize(call, {.rngs = init_rngs(c.args)});
  add_leaves(result.outputs, "", variables);
  Tree params = kd::tracked(tree_of(c.outputs, "params"));
  nn::Out out = nn::apply(call, Tree::dict({{"params", params}}), {}).out;
  add_leaves(result.outputs, "new_carry", out.tree().child(0));
  Tensor y = out.tree().child(1).to<Tensor>();
  result.outputs["out"] = y;
  Tree grads = kd::grad((y * c.inputs.at("cotangent")).sum(), params);
  add_leaves(result.outputs, "grads", grads);
  return result;
}

bool add_all() {
  for (const char* name :
       {"lecun_normal", "lecun_uniform", "glorot_uniform", "glorot_normal", "he_normal",
        "he_uniform", "xavier_uniform", "xavier_normal", "kaiming_normal", "kaiming_uniform",
        "zeros_init", "ones_init", "normal", "uniform", "truncated_normal", "constant",
        "orthogonal", "delta_orthogonal", "variance_scaling"}) {
    add_nn_handler("flax.linen.initializers." + std::string(name), run_initializer);
  }
  for (const char* name : {"OptimizedLSTMCell", "LSTMCell", "GRUCell", "SimpleCell", "MGUCell"}) {
    add_nn_handler("flax.linen." + std::string(name), run_cell);
  }
  add_nn_handler("flax.linen.Embed.attend", run_attend);
  return add_nn_handler("flax.linen.BatchNorm", run_batch_norm);
}

[[maybe_unused]] const bool kAdded = add_all();

}  // namespace
}  // namespace golden
