// Arrays as text, in the layout of numpy.
#pragma once

#include <string>

#include "kd/core/tensor.h"

namespace kd::summaries::detail {

// "[0.25 1.   2.  ]"
std::string array_text(const Tensor& array, int precision = 8);
// "array([[1, 0],\n       [0, 2]])"
std::string array_repr(const Tensor& array, int precision = 8);

}  // namespace kd::summaries::detail
