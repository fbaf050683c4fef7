// The mean over batches.
#include "kd/metrics/engine/average.h"

#include <ATen/ops/full.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include "kd/metrics/engine/mask.h"
#include "kd/metrics/engine/reduce.h"

namespace kd::metrics {

AverageState AverageState::from_values(const Tensor& given, const std::optional<Tensor>& mask) {
  Tensor values = given.dim() == 0 ? given.view({1}) : given;
  if (!mask) {
    double count = static_cast<double>(values.numel());
    return {.total = sum_all(values), .count = count};
  }
  Tensor weights = align_left(mask->dim() == 0 ? mask->view({1}) : *mask, values);
  return {.total = sum_all(values * weights),
          .count = sum_all(weights.expand_as(values), at::kFloat)};
}

Tensor AverageState::compute() const {
  Tensor mean = total.tensor() / count.tensor();
  return at::where(count.tensor() == 0, at::zeros_like(mean), mean);
}

}  // namespace kd::metrics
