// Pooling: one value for each window. Inputs are (batch..., dimensions..., channels), windows have
// 1 to 3 dimensions.
//
//   x = nn::max_pool(x, {.window_shape = {2, 2}, .strides = {2, 2}});
//
// Strides are 1 by default, not the size of the window.
#pragma once

#include <optional>
#include <vector>

#include "kd/core/tensor.h"
#include "kd/nn/module/fields.h"

namespace kd::nn {

struct Pool {
  std::vector<std::int64_t> window_shape = {};  // sizes of the window
  std::vector<std::int64_t> strides = {};       // steps between windows; none: 1
  Padding padding = "VALID";                    // SAME, VALID, or numbers
  bool count_include_pad = true;                // avg_pool: padding counts as zeros
};

Tensor avg_pool(const Tensor& x, const Pool& how);
Tensor max_pool(const Tensor& x, const Pool& how);
Tensor min_pool(const Tensor& x, const Pool& how);

}  // namespace kd::nn
