// BatchNorm: statistics of the batch, or running averages of them.
#include <ATen/core/grad_mode.h>
#include <ATen/ops/native_batch_norm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include "kd/nn/arguments_impl.h"
#include "kd/nn/engine/promote.h"
#include "kd/nn/engine/scope.h"
#include "kd/nn/layers/norm_impl.h"
#include "kd/nn/module/invoke.h"

namespace kd::nn {

using detail::Affine;
using detail::Dims;
using detail::Learned;

namespace {

void update(const Variable& running, const Tensor& now, double momentum) {
  at::NoGradGuard no_grad;
  Tensor before = running.get();
  running.set((before * momentum + now.detach() * (1 - momentum)).to(before.scalar_type()));
}

}  // namespace

Tensor BatchNorm::call(const Tensor& x, const std::optional<bool>& use_running,
                       const std::optional<Tensor>& mask) const {
  bool running = detail::either("use_running_average", use_running_average, use_running);
  std::int64_t channel = detail::normalized(std::int64_t{axis}, x.dim(), "axis");
  Affine settings = detail::affine_of(*this);
  Dims shape = {x.size(channel)};
  auto stats_type =
      at::TensorOptions(force_float32_reductions ? at::kFloat : scalar_type(param_dtype))
          .device(x.device());
  Variable mean = variable("batch_stats", "mean", [&] { return at::zeros(shape, stats_type); });
  Variable variance = variable("batch_stats", "var", [&] { return at::ones(shape, stats_type); });

  auto type = detail::reduction_type(settings, x);
  if (mask && !running) {
    Dims axes;
    for (std::int64_t d = 0; d < x.dim(); ++d) {
      if (d != channel) axes.push_back(d);
    }
    auto stats = detail::stats_of(cast(x, type), axes, /*use_mean=*/true, use_fast_variance,
                                  detail::mask_of(mask));
    if (!is_initializing()) {
      update(mean, stats.mean.flatten(), momentum);
      update(variance, stats.variance.flatten(), momentum);
    }
    return detail::normalize(settings, x, stats, {channel});
  }

  Learned parts = detail::learned(settings, shape);
  auto given = [&](const Variable& v) { return running ? cast(v.get(), type) : Tensor(); };
  auto [y, batch_mean, inverse_deviation] = at::native_batch_norm(
      cast(x, type).movedim(channel, 1), cast(parts.scale, type), cast(parts.bias, type),
      given(mean), given(variance), /*training=*/!running, /*momentum=*/0, epsilon);
  if (!running && !is_initializing()) {
    update(mean, batch_mean, momentum);
    Tensor inverse = inverse_deviation.detach();
    update(variance, (1 / (inverse * inverse) - epsilon).clamp_min(0), momentum);
  }
  return cast(y.movedim(1, channel), computation_type(dtype, {&x, &parts.scale, &parts.bias}));
}

}  // namespace kd::nn
