// Means, variances and the learned part of a normalization.
#include <ATen/ops/clamp.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include "kd/nn/engine/promote.h"
#include "kd/nn/engine/scope.h"
#include "kd/nn/layers/norm_impl.h"

namespace kd::nn::detail {

at::ScalarType reduction_type(const Affine& settings, const Tensor& x) {
  at::ScalarType type = settings.dtype ? scalar_type(*settings.dtype) : x.scalar_type();
  if (!settings.float32_at_least && c10::isFloatingType(type)) return type;
  return c10::promoteTypes(type, at::kFloat);
}

Learned learned(const Affine& settings, at::IntArrayRef shape) {
  at::ScalarType made = scalar_type(settings.param_dtype);
  Learned out;
  if (settings.use_scale) out.scale = param("scale", shape, settings.scale_init, made);
  if (settings.use_bias) out.bias = param("bias", shape, settings.bias_init, made);
  return out;
}

namespace {

Tensor mean_of(const Tensor& x, at::IntArrayRef axes, const Tensor& mask) {
  // libtorch takes "no axes" for all of them.
  if (axes.empty()) return mask.defined() ? at::where(mask, x, 0) : x;
  if (!mask.defined()) return x.mean(axes, /*keepdim=*/true);
  Tensor wide = mask.expand_as(x);
  Tensor sum = at::where(wide, x, 0).sum(axes, /*keepdim=*/true);
  return sum / wide.to(x.scalar_type()).sum(axes, /*keepdim=*/true);
}

}  // namespace

Stats stats_of(const Tensor& x, at::IntArrayRef axes, bool use_mean, bool fast,
               const Tensor& mask) {
  if (!use_mean) {
    Tensor square = mean_of(x * x, axes, mask);
    return {Tensor(), square};
  }
  Tensor mean = mean_of(x, axes, mask);
  if (fast) return {mean, at::clamp(mean_of(x * x, axes, mask) - mean * mean, 0)};
  Tensor off = x - mean;
  return {mean, mean_of(off * off, axes, mask)};
}

Tensor normalize(const Affine& settings, const Tensor& x, const Stats& stats,
                 at::IntArrayRef feature_axes) {
  Dims shape = sizes_at(x, feature_axes), spread(static_cast<std::size_t>(x.dim()), 1);
  for (auto axis : feature_axes) spread[static_cast<std::size_t>(axis)] = x.size(axis);
  Learned parts = learned(settings, shape);
  Tensor factor = at::rsqrt(stats.variance + settings.epsilon);
  if (parts.scale.defined()) factor = factor * parts.scale.reshape(spread);
  Tensor y = (stats.mean.defined() ? x - stats.mean : x) * factor;
  if (parts.bias.defined()) y = y + parts.bias.reshape(spread);
  return cast(y, computation_type(settings.dtype, {&x, &parts.scale, &parts.bias}));
}

Dims sizes_at(const Tensor& x, at::IntArrayRef axes) {
  Dims out;
  for (auto axis : axes) out.push_back(x.size(axis));
  return out;
}

bool are_last(at::IntArrayRef axes, std::int64_t rank) {
  auto n = static_cast<std::int64_t>(axes.size());
  for (std::int64_t i = 0; i < n; ++i) {
    if (axes[static_cast<std::size_t>(i)] != rank - n + i) return false;
  }
  return n > 0;
}

}  // namespace kd::nn::detail
