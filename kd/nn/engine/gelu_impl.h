// The fast GELU. Library only.
#pragma once

#include "kd/core/tensor.h"

namespace kd::nn::detail {

// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))), in one pass each way for float32 on the
// CPU.
Tensor tanh_gelu(const Tensor& x);

}  // namespace kd::nn::detail
