// Cases that are functions: activations, pooling, masks, attention.
#include <map>

#include "kd/core/grad.h"
#include "kd/nn/engine/attention_functions.h"
#include "kd/nn/engine/functions.h"
#include "kd/nn/engine/pool.h"
#include "tests/golden/nn_case.h"

namespace golden {

using kd::Tensor;
using konfig::Dict;
using konfig::List;
using konfig::Value;
namespace nn = kd::nn;

namespace {

double real_arg(const Dict& args, const char* name, double otherwise) {
  auto* found = args.find(name);
  return found ? number(*found) : otherwise;
}
std::int64_t whole_arg(const Dict& args, const char* name, std::int64_t otherwise) {
  auto* found = args.find(name);
  return found ? found->as<std::int64_t>() : otherwise;
}
bool flag_arg(const Dict& args, const char* name, bool otherwise) {
  auto* found = args.find(name);
  return found ? found->as<bool>() : otherwise;
}

using Call = std::function<Tensor(const NnCase&, const Tensors& inputs)>;

// The output, and the gradients of sum(out * cotangent) when there is a cotangent.
bool add(const std::string& api, Call call) {
  return add_nn_handler("flax.linen." + api, [call = std::move(call)](const NnCase& c) {
    NnResult result;
    Tensors inputs = c.inputs;
    bool has_grads = inputs.erase("cotangent") > 0;
    if (has_grads) {
      for (auto& [name, tensor] : inputs) tensor = kd::tracked(tensor);
    }
    Tensor out = call(c, inputs);
    result.outputs["out"] = out;
    if (!has_grads) return result;
    std::vector<std::string> names;
    std::vector<Tensor> wrt;
    for (auto& [name, tensor] : inputs) {
      if (!tensor.is_floating_point()) continue;
      names.push_back("grad_in/" + name);
      wrt.push_back(tensor);
    }
    auto grads = kd::grad((out * c.inputs.at("cotangent")).sum(), wrt);
    for (std::size_t i = 0; i < grads.size(); ++i) result.outputs[names[i]] = grads[i];
    return result;
  });
}

using Unary = Tensor (*)(const Tensor&);

bool add_activations() {
  std::map<std::string, Unary> plain = {
      {"relu", nn::relu},           {"relu6", nn::relu6},
      {"silu", nn::silu},           {"swish", nn::swish},
      {"softplus", nn::softplus},   {"selu", nn::selu},
      {"sigmoid", nn::sigmoid},     {"hard_sigmoid", nn::hard_sigmoid},
      {"hard_silu", nn::hard_silu}, {"hard_swish", nn::hard_swish},
      {"hard_tanh", nn::hard_tanh}, {"log_sigmoid", nn::log_sigmoid},
      {"tanh", nn::tanh},           {"soft_sign", nn::soft_sign}};
  for (auto& [name, function] : plain) {
    add(name, [f = function](const NnCase&, const Tensors& in) { return f(in.at("x")); });
  }
  add("gelu", [](const NnCase& c, const Tensors& in) {
    return nn::gelu(in.at("x"), flag_arg(c.args, "approximate", true));
  });
  add("elu", [](const NnCase& c, const Tensors& in) {
    return nn::elu(in.at("x"), real_arg(c.args, "alpha", 1.0));
  });
  add("celu", [](const NnCase& c, const Tensors& in) {
    return nn::celu(in.at("x"), real_arg(c.args, "alpha", 1.0));
  });
  add("leaky_relu", [](const NnCase& c, const Tensors& in) {
    return nn::leaky_relu(in.at("x"), real_arg(c.args, "negative_slope", 0.01));
  });
  add("softmax", [](const NnCase& c, const Tensors& in) {
    return nn::softmax(in.at("x"), whole_arg(c.args, "axis", -1));
  });
  add("log_softmax", [](const NnCase& c, const Tensors& in) {
    return nn::log_softmax(in.at("x"), whole_arg(c.args, "axis", -1));
  });
  add("logsumexp", [](const NnCase& c, const Tensors& in) {
    auto* axis = c.args.find("axis");
    bool keep = flag_arg(c.args, "keepdims", false);
    if (!axis || axis->is_none()) return nn::logsumexp(in.at("x"), {}, keep);
    return nn::logsumexp(in.at("x"), axis->as<std::int64_t>(), keep);
  });
  add("standardize", [](const NnCase& c, const Tensors& in) {
    return nn::standardize(in.at("x"), whole_arg(c.args, "axis", -1),
                           real_arg(c.args, "epsilon", 1e-5));
  });
  add("glu", [](const NnCase& c, const Tensors& in) {
    return nn::glu(in.at("x"), whole_arg(c.args, "axis", -1));
  });
  return add("one_hot", [](const NnCase& c, const Tensors& in) {
    return nn::one_hot(in.at("x"), c.args.at("num_classes").as<std::int64_t>(), kd::DType::float32,
                       whole_arg(c.args, "axis", -1));
  });
}

nn::Pool pool_of(const Dict& args) {
  nn::Pool out{.window_shape = integers(args.at("window_shape"))};
  if (auto* strides = args.find("strides"); strides && !strides->is_none()) {
    out.strides = integers(*strides);
  }
  if (auto* padding = args.find("padding")) {
    if (auto* kind = padding->get_if<std::string>()) {
      out.padding = *kind;
    } else {
      std::vector<nn::Pad> pads;
      for (const Value& pair : padding->as<List>()) {
        auto sides = integers(pair);
        pads.emplace_back(sides.at(0), sides.at(1));
      }
      out.padding = pads;
    }
  }
  out.count_include_pad = flag_arg(args, "count_include_pad", true);
  return out;
}

bool add_pools() {
  using Function = Tensor (*)(const Tensor&, const nn::Pool&);
  std::map<std::string, Function> functions = {
      {"avg_pool", nn::avg_pool}, {"max_pool", nn::max_pool}, {"min_pool", nn::min_pool}};
  for (auto& [name, function] : functions) {
    add(name, [f = function](const NnCase& c, const Tensors& in) {
      return f(in.at("x"), pool_of(c.args));
    });
  }
  return true;
}

bool add_attention() {
  add("make_causal_mask", [](const NnCase& c, const Tensors& in) {
    auto extra = whole_arg(c.args, "extra_batch_dims", 0);
    return nn::make_causal_mask(in.at("x"), static_cast<int>(extra));
  });
  add("make_attention_mask", [](const NnCase& c, const Tensors& in) {
    auto extra = whole_arg(c.args, "extra_batch_dims", 0);
    return nn::make_attention_mask(in.at("a"), in.at("b"), {}, static_cast<int>(extra));
  });
  add("combine_masks", [](const NnCase&, const Tensors& in) {
    return nn::combine_masks({in.at("a"), in.at("b")});
  });
  return add("dot_product_attention", [](const NnCase&, const Tensors& in) {
    nn::linen::AttentionArgs args;
    if (in.contains("bias")) args.bias = in.at("bias");
    if (in.contains("mask")) args.mask = in.at("mask");
    return nn::linen::dot_product_attention(in.at("query"), in.at("key"), in.at("value"), args);
  });
}

[[maybe_unused]] const bool kAdded = add_activations() && add_pools() && add_attention();

}  // namespace
}  // namespace golden
