// In which type of numbers a layer computes.
#pragma once

#include <initializer_list>
#include <optional>

#include "kd/core/dtype.h"
#include "kd/core/tensor.h"

namespace kd::nn {

// The wanted type, that of a policy around the layer (kd/nn/models/precision.h), or the widest of
// the tensors that are defined: at least float32 for integers. With `inexact` off they may stay
// integers.
at::ScalarType computation_type(std::optional<DType> wanted,
                                std::initializer_list<const Tensor*> tensors, bool inexact = true);

// The tensor in this type; an undefined one stays so.
inline Tensor cast(const Tensor& tensor, at::ScalarType type) {
  return tensor.defined() && tensor.scalar_type() != type ? tensor.to(type) : tensor;
}

}  // namespace kd::nn
