// Running layers in order.
#include "kd/nn/layers/layer.h"

#include "kd/core/tensor.h"
#include "kd/core/tree.h"
#include "konfig/error.h"

namespace kd::nn {

using konfig::Error;
using konfig::ErrorKind;
using kontext::Shape;
using kontext::TreeRef;

Arguments splat(const TreeRef& result) {
  Arguments args;
  if (!result || !result.is_container() || result.shape() == Shape::list) {
    args.positional.push_back(result);
    return args;
  }
  result.each([&](const kontext::Part& part, const TreeRef& value) {
    if (result.shape() == Shape::tuple) {
      args.positional.push_back(value);
    } else {
      args.keywords.emplace_back(*part.text(), value);
    }
    return false;
  });
  return args;
}

namespace {

const TreeRef& only(const Arguments& args) {
  if (args.positional.size() != 1 || !args.keywords.empty()) {
    throw Error(ErrorKind::type, "one argument is needed, " +
                                     std::to_string(args.positional.size() + args.keywords.size()) +
                                     " are given");
  }
  return args.positional[0];
}

Out run(const Layer& layer, std::size_t i, const Arguments& args) {
  if (auto* module = std::get_if<Poly<kd::Module>>(&layer)) return call_module(*module, args);
  auto& function = std::get<Activation>(layer);
  try {
    return Out(TreeRef::own(function(only(args).to<Tensor>())));
  } catch (const Error& e) {
    throw Error(e.kind(),
                "layer " + std::to_string(i) + " (" + function.qualname + "): " + e.what());
  }
}

}  // namespace

Out run_layers(const std::vector<Layer>& layers, const Arguments& args) {
  if (layers.empty()) return Out(only(args));
  Out out = run(layers[0], 0, args);
  for (std::size_t i = 1; i < layers.size(); ++i) out = run(layers[i], i, splat(out.tree()));
  return out;
}

}  // namespace kd::nn
