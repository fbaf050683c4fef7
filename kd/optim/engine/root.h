// The square root as fused steps have it, for plain ones that give the same bits.
#pragma once

#include "kd/core/tensor.h"

namespace kd::optim {

// Correctly rounded: libtorch's is off by the last bit now and then.
Tensor root(const Tensor& tensor);

}  // namespace kd::optim
