// The names under which configs know functions of one tensor.
#include <utility>

#include "kd/nn/engine/functions.h"
#include "konfig/callable.h"

namespace kd::nn {
namespace {

using Function = Tensor (*)(const Tensor&);

Tensor softmax_of_last(const Tensor& x) { return softmax(x); }
Tensor log_softmax_of_last(const Tensor& x) { return log_softmax(x); }
Tensor glu_of_last(const Tensor& x) { return glu(x); }
Tensor standardize_last(const Tensor& x) { return standardize(x); }

constexpr std::pair<const char*, Function> kFunctions[] = {
    {"identity", identity},
    {"relu", relu},
    {"relu6", relu6},
    {"gelu", gelu},
    {"silu", silu},
    {"swish", swish},
    {"mish", mish},
    {"sigmoid", sigmoid},
    {"tanh", tanh},
    {"softplus", softplus},
    {"squareplus", squareplus},
    {"soft_sign", soft_sign},
    {"log_sigmoid", log_sigmoid},
    {"elu", elu},
    {"celu", celu},
    {"selu", selu},
    {"leaky_relu", leaky_relu},
    {"hard_tanh", hard_tanh},
    {"hard_sigmoid", hard_sigmoid},
    {"hard_silu", hard_silu},
    {"hard_swish", hard_swish},
    {"softmax", softmax_of_last},
    {"log_softmax", log_softmax_of_last},
    {"glu", glu_of_last},
    {"standardize", standardize_last},
};

bool register_all() {
  for (auto& [name, function] : kFunctions) {
    for (const char* module : {"flax.linen:", "jax.nn:"}) {
      konfig::detail::register_callable(module + std::string(name), function);
    }
  }
  konfig::detail::register_callable("jax.numpy:tanh", Function(tanh));
  return true;
}

[[maybe_unused]] const bool kRegistered = register_all();

}  // namespace
}  // namespace kd::nn
