// Functions that the samplers are made of. In float32 they have the reference's bits, which are
// not always those of libtorch's functions; float64 is libtorch's; narrow floats go through
// float32.
#pragma once

#include "kd/core/tensor.h"

namespace kd::random {

Tensor log(const Tensor& x);
Tensor log1p(const Tensor& x);
Tensor erf(const Tensor& x);
Tensor erf_inv(const Tensor& x);

}  // namespace kd::random
