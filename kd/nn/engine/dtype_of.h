// The DType of a tensor: for layers that compute in the type of their input.
#pragma once

#include <optional>

#include "kd/core/dtype.h"
#include "kd/core/tensor.h"

namespace kd::nn {

// None for anything but floats: a layer then takes the type of its parameters.
inline std::optional<DType> dtype_of(const Tensor& x) {
  switch (x.scalar_type()) {
    case at::kFloat:
      return DType::float32;
    case at::kDouble:
      return DType::float64;
    case at::kBFloat16:
      return DType::bfloat16;
    case at::kHalf:
      return DType::float16;
    default:
      return {};
  }
}

}  // namespace kd::nn
