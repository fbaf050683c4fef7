// What metrics and summaries of classifiers share.
#pragma once

#include "kd/core/tensor.h"

namespace kd::metrics {

// The first largest of the last axis, which becomes 1. An Error when there is no class.
Tensor predicted_class(const Tensor& logits);

}  // namespace kd::metrics
