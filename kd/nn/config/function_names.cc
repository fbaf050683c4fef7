// The names of functions in modules, so that configs resolve without libtorch. The functions come
// with the engine.
#include <string>

#include "kd/nn/function_names_impl.h"
#include "konfig/registry.h"

namespace {

[[maybe_unused]] const bool kNamed = [] {
  auto name = [](std::string qualname) {
    konfig::register_symbol({.qualname = std::move(qualname)});
  };
#define KD_NAME(text, function)            \
  name(std::string("flax.linen:") + text); \
  name(std::string("jax.nn:") + text);
  KD_NN_FUNCTIONS(KD_NAME)
#undef KD_NAME
  name("jax.numpy:tanh");
  name("kauldron.modules.attention:dot_product_attention_weights");
  return true;
}();

}  // namespace
