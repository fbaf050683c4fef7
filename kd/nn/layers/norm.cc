// LayerNorm, RMSNorm, GroupNorm and InstanceNorm.
#include "kd/nn/layers/norm.h"

#include <ATen/ops/group_norm.h>
#include <ATen/ops/layer_norm.h>

#include <algorithm>

#include "base/shape_text.h"
#include "kd/nn/engine/promote.h"
#include "kd/nn/layers/norm_impl.h"
#include "kd/nn/module/invoke.h"

namespace kd::nn {

using detail::Affine;
using detail::Dims;
using detail::fail;
using detail::Learned;
using detail::Stats;

namespace {

void need_dimensions(const Tensor& x, std::int64_t least) {
  if (x.dim() < least) {
    fail("the input " + base::tuple_text(x.sizes()) + " needs at least " + std::to_string(least) +
         " dimension(s)");
  }
}

// By libtorch's kernel: channels are the last dimension, the first one is the batch.
Tensor group_norm(const Affine& settings, const Tensor& x, std::int64_t groups) {
  Learned parts = detail::learned(settings, {x.size(-1)});
  auto type = detail::reduction_type(settings, x);
  Tensor y = at::group_norm(cast(x, type).movedim(-1, 1), groups, cast(parts.scale, type),
                            cast(parts.bias, type), settings.epsilon);
  return cast(y.movedim(1, -1), computation_type(settings.dtype, {&x, &parts.scale, &parts.bias}));
}

}  // namespace

Tensor LayerNorm::call(const Tensor& x, const std::optional<Tensor>& mask) const {
  need_dimensions(x, 1);
  Affine settings = detail::affine_of(*this);
  Dims axes = detail::normalized(reduction_axes, x.dim(), "reduction_axes");
  Dims features = detail::normalized(feature_axes, x.dim(), "feature_axes");
  auto type = detail::reduction_type(settings, x);
  if (!mask && axes == features && detail::are_last(axes, x.dim())) {
    Dims shape = detail::sizes_at(x, features);
    Learned parts = detail::learned(settings, shape);
    Tensor y = at::layer_norm(cast(x, type), shape, cast(parts.scale, type), cast(parts.bias, type),
                              epsilon);
    return cast(y, computation_type(dtype, {&x, &parts.scale, &parts.bias}));
  }
  Stats stats = detail::stats_of(cast(x, type), axes, /*use_mean=*/true, use_fast_variance,
                                 detail::mask_of(mask));
  return detail::normalize(settings, x, stats, features);
}

Tensor RMSNorm::call(const Tensor& x, const std::optional<Tensor>& mask) const {
  need_dimensions(x, 1);
  Affine settings = detail::affine_of(*this);
  Dims axes = detail::normalized(reduction_axes, x.dim(), "reduction_axes");
  Dims features = detail::normalized(feature_axes, x.dim(), "feature_axes");
  auto type = detail::reduction_type(settings, x);
  Tensor y = cast(x, type);
  bool last = axes == Dims{x.dim() - 1} && features == axes;
  if (!mask && last && detail::has_fast_rms_norm(y)) {
    Learned parts = detail::learned(settings, {x.size(-1)});
    y = detail::rms_norm(y, cast(parts.scale, type), epsilon);
    return cast(y, computation_type(dtype, {&x, &parts.scale}));
  }
  Stats stats =
      detail::stats_of(y, axes, /*use_mean=*/false, use_fast_variance, detail::mask_of(mask));
  return detail::normalize(settings, x, stats, features);
}

Tensor GroupNorm::call(const Tensor& x, const std::optional<Tensor>& mask) const {
  need_dimensions(x, reduction_axes ? 1 : 2);
  if (num_groups.has_value() == group_size.has_value()) {
    fail(
        "one of num_groups and group_size is needed; .num_groups = std::nullopt lets group_size "
        "decide");
  }
  std::int64_t channels = x.size(-1);
  if (group_size && (*group_size < 1 || channels % *group_size != 0)) {
    fail("group_size " + std::to_string(*group_size) + " does not divide the " +
         std::to_string(channels) + " channels");
  }
  std::int64_t groups = group_size ? channels / *group_size : *num_groups;
  if (groups < 1 || channels % groups != 0) {
    fail("num_groups " + std::to_string(groups) + " does not divide the " +
         std::to_string(channels) + " channels");
  }
  Affine settings = detail::affine_of(*this);
  if (!mask && !reduction_axes) return group_norm(settings, x, groups);

  Dims axes;
  for (std::int64_t d = 1; d < x.dim(); ++d) axes.push_back(d);
  if (reduction_axes) axes = detail::normalized(*reduction_axes, x.dim(), "reduction_axes");
  if (axes.empty() || axes.back() != x.dim() - 1) {
    fail("reduction_axes must have the last dimension, that of the channels");
  }
  // The channels as (groups, channels of one), of which the second is summed over.
  axes.back() = x.dim();
  Tensor split = cast(x, detail::reduction_type(settings, x));
  split = split.unflatten(-1, {groups, channels / groups});
  Tensor counts = detail::mask_of(mask);
  if (counts.defined()) {
    counts = counts.expand_as(x).unflatten(-1, {groups, channels / groups});
  }
  Stats stats = detail::stats_of(split, axes, /*use_mean=*/true, use_fast_variance, counts);
  auto per_channel = [&](const Tensor& t) {
    Dims shape = t.sizes().vec();
    shape.back() = channels / groups;
    return t.expand(shape).flatten(-2);
  };
  return detail::normalize(settings, x, {per_channel(stats.mean), per_channel(stats.variance)},
                           {x.dim() - 1});
}

Tensor InstanceNorm::call(const Tensor& x, const std::optional<Tensor>& mask) const {
  need_dimensions(x, 2);
  Dims features = detail::normalized(feature_axes, x.dim(), "feature_axes");
  if (!features.empty() && features[0] == 0) {
    fail("feature_axes must not have the first dimension, that of the batch");
  }
  Affine settings = detail::affine_of(*this);
  if (!mask && features == Dims{x.dim() - 1}) return group_norm(settings, x, x.size(-1));
  Dims axes;
  for (std::int64_t d = 1; d < x.dim(); ++d) {
    if (std::find(features.begin(), features.end(), d) == features.end()) axes.push_back(d);
  }
  Stats stats = detail::stats_of(cast(x, detail::reduction_type(settings, x)), axes,
                                 /*use_mean=*/true, use_fast_variance, detail::mask_of(mask));
  return detail::normalize(settings, x, stats, features);
}

}  // namespace kd::nn
