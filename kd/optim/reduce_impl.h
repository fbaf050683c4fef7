// Sums over leaves and trees, in fixed pieces: the result does not depend on the number of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "kd/core/tree.h"

namespace kd::optim {

struct Values {
  const float* x;
  std::int64_t n;
};
// One for each, in one parallel pass.
std::vector<float> sums_of_squares(const std::vector<Values>& values);

// All are scalars in the dtype of the tensor.
Tensor sum(const Tensor& tensor);
Tensor sum_of_squares(const Tensor& tensor);
Tensor norm(const Tensor& tensor);
Tensor root_mean_square(const Tensor& tensor);
// The norm, or `min_norm` where it is not larger.
Tensor safe_norm(const Tensor& tensor, double min_norm);

// Over all leaves; in the widest dtype of them, float32 when there is none.
Tensor global_sum_of_squares(const Tree& tree);
Tensor global_norm(const Tree& tree);

bool all_finite(const Tree& tree);
std::int32_t count_not_finite(const Tree& tree);

}  // namespace kd::optim
