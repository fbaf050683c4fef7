// PReLU.
#include "kd/nn/layers/activation.h"

#include <ATen/ops/full.h>
#include <ATen/ops/where.h>

#include "kd/nn/engine/promote.h"
#include "kd/nn/engine/scope.h"

namespace kd::nn {

Tensor PReLU::call(const Tensor& inputs) const {
  Tensor slope = param("negative_slope", {}, [&](const random::Key&) {
    return at::full({}, negative_slope_init, scalar_type(param_dtype));
  });
  return at::where(inputs >= 0, inputs, cast(slope, inputs.scalar_type()) * inputs);
}

}  // namespace kd::nn
