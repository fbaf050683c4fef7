// The type of a computation, from its arguments.
#include "kd/nn/engine/promote.h"

#include <string>

#include "kd/nn/run_impl.h"
#include "kd/typing/dtype.h"
#include "konfig/error.h"

namespace kd::nn {

at::ScalarType computation_type(std::optional<DType> wanted,
                                std::initializer_list<const Tensor*> tensors, bool inexact) {
  auto is_inexact = [](at::ScalarType type) {
    return c10::isFloatingType(type) || c10::isComplexType(type);
  };
  if (!wanted && detail::current_run_or_null()) wanted = detail::current_run().compute;
  if (wanted) {
    at::ScalarType type = scalar_type(*wanted);
    if (inexact && !is_inexact(type)) {
      throw konfig::Error(
          konfig::ErrorKind::value,
          "dtype is " + std::string(typing::name_of(type)) + ", it must be a type of real numbers");
    }
    return type;
  }
  std::optional<at::ScalarType> type;
  for (const Tensor* tensor : tensors) {
    if (!tensor->defined()) continue;
    type = type ? c10::promoteTypes(*type, tensor->scalar_type()) : tensor->scalar_type();
  }
  if (!type) return at::kFloat;
  return inexact && !is_inexact(*type) ? at::kFloat : *type;
}

}  // namespace kd::nn
