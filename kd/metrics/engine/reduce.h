// Sums whose bits do not depend on the number of threads.
#pragma once

#include "kd/core/tensor.h"

namespace kd::metrics {

// The sum of all elements as a scalar, differentiable. bfloat16 and float16 are added up in float32
// and rounded at the end; whole numbers and booleans are counted in int32, int64 stays int64. No
// elements: 0.
Tensor sum_all(const Tensor& values);
// The same in another dtype, to which the elements are converted first.
Tensor sum_all(const Tensor& values, c10::ScalarType dtype);
// Over some axes; dtypes as above.
Tensor sum_over(const Tensor& values, at::IntArrayRef axes, bool keepdim = false);
Tensor mean_over(const Tensor& values, at::IntArrayRef axes, bool keepdim = false);

}  // namespace kd::metrics
