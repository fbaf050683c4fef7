// Images of another size.
#include <ATen/ops/arange.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>

#include "kd/metrics/image_impl.h"

namespace kd::metrics::detail {

namespace {

// (in, out): how much each old pixel counts in each new one. The triangle of linear interpolation
// is widened when the image shrinks, so that no pixel is passed over.
Tensor weights(std::int64_t in, std::int64_t out, const at::TensorOptions& options) {
  double step = static_cast<double>(in) / static_cast<double>(out);
  Tensor centre = (at::arange(out, options) + 0.5) * step - 0.5;
  Tensor old = at::arange(in, options).unsqueeze(1);
  Tensor triangle = (1 - (centre - old).abs() / std::max(step, 1.0)).clamp_min(0);
  return triangle / triangle.sum(0, true);
}

// The axis is multiplied by the weights.
Tensor resize_axis(const Tensor& images, std::int64_t axis, std::int64_t size) {
  if (images.size(axis) == size) return images;
  Tensor last = images.movedim(axis, -1);
  return last.matmul(weights(images.size(axis), size, images.options())).movedim(-1, axis);
}

}  // namespace

Tensor resize_linear(const Tensor& images, std::int64_t height, std::int64_t width) {
  return resize_axis(resize_axis(images, -3, height), -2, width);
}

}  // namespace kd::metrics::detail
