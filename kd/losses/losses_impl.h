// What several losses compute.
#pragma once

#include "kd/core/tensor.h"

namespace kd::losses {

// |x|, with the slope 1 at 0 that the reference has.
Tensor magnitude(const Tensor& x);

// -labels * log(sigmoid(logits)) - (1 - labels) * log(1 - sigmoid(logits)), also for large logits.
Tensor sigmoid_cross_entropy(const Tensor& logits, const Tensor& labels);

}  // namespace kd::losses
