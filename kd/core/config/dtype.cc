// The names under which configs know element types.
#include "kd/core/dtype.h"
#include "konfig/make_type.h"
#include "konfig/register.h"

namespace kd {
namespace {

bool register_names() {
  for (const konfig::Enumerator& e : konfig::enumerators<DType>()) {
    for (const char* module : {"jax.numpy:", "numpy:"}) {
      konfig::detail::register_constant(module + std::string(e.name), static_cast<DType>(e.value));
    }
  }
  // Python's own types stand for the reference's default ones.
  konfig::detail::register_constant("builtins:float", DType::float32);
  konfig::detail::register_constant("builtins:int", DType::int32);
  konfig::detail::register_constant("builtins:bool", DType::bool_);
  return true;
}

[[maybe_unused]] const bool kRegistered = register_names();

}  // namespace
}  // namespace kd
