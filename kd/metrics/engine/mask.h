// Masks of metrics and losses: how they are laid over the values.
#pragma once

#include "kd/core/tensor.h"

namespace kd::metrics {

// From the first axis on, which must be as long as that of the values; 1-sized axes are added at
// the end. An Error names both shapes.
Tensor align_left(const Tensor& mask, const Tensor& values);
// From the last axis on, as numpy broadcasts; never more axes than the values.
Tensor align_right(const Tensor& mask, const Tensor& values);

}  // namespace kd::metrics
