// The names under which configs know functions of one tensor.
#include <utility>

#include "kd/nn/engine/functions.h"
#include "kd/nn/function_names_impl.h"
#include "konfig/callable.h"

namespace kd::nn {
namespace {

using Function = Tensor (*)(const Tensor&);

Tensor softmax_of_last(const Tensor& x) { return softmax(x); }
Tensor log_softmax_of_last(const Tensor& x) { return log_softmax(x); }
Tensor glu_of_last(const Tensor& x) { return glu(x); }
Tensor standardize_last(const Tensor& x) { return standardize(x); }

#define KD_PAIR(name, function) {name, function},
constexpr std::pair<const char*, Function> kFunctions[] = {KD_NN_FUNCTIONS(KD_PAIR)};
#undef KD_PAIR

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
