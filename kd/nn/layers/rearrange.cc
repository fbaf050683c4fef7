// Changes of shape as layers.
#include "kd/nn/layers/rearrange.h"

#include "kd/core/tensor.h"

namespace kd::nn {

namespace {

std::string_view name_of(Reduction reduction) {
  switch (reduction) {
    case Reduction::min:
      return "min";
    case Reduction::max:
      return "max";
    case Reduction::sum:
      return "sum";
    case Reduction::mean:
      return "mean";
    case Reduction::prod:
      break;
  }
  return "prod";
}

}  // namespace

Tensor Rearrange::call(const Tensor& tensor) const {
  return einops::rearrange(tensor, *pattern, axes_lengths);
}

Tensor Reduce::call(const Tensor& tensor) const {
  return einops::reduce(tensor, *pattern, name_of(*reduction), axes_lengths);
}

}  // namespace kd::nn
