// Clipping, centring and cleaning of gradients.
#include <ATen/ops/full_like.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "kd/optim/engine/transform.h"
#include "kd/optim/math_impl.h"
#include "kd/optim/reduce_impl.h"
#include "kd/optim/transforms.h"
#include "kd/optim/zip_impl.h"
#include "konfig/error.h"

namespace kd::optim {

Tree Identity::update(const Tree& grads) const { return grads; }

Tree SetToZero::update(const Tree& grads) const {
  return zip([](const Tensor& g) { return at::zeros_like(g); }, grads);
}

Tree Clip::update(const Tree& grads) const {
  return zip([&](const Tensor& g) { return g.clamp(-*max_delta, *max_delta); }, grads);
}

Tree ClipByGlobalNorm::update(const Tree& grads) const {
  const double size = global_norm(grads).item<double>();
  if (size < max_norm) return grads;
  return zip(
      [&](const Tensor& g) { return times(*max_norm, divided_by(g, static_cast<float>(size))); },
      grads);
}

Tree ClipByBlockRms::update(const Tree& grads) const {
  return zip(
      [&](const Tensor& g) { return g / divided(root_mean_square(g), *threshold).clamp_min(1); },
      grads);
}

Tree NormalizeByUpdateNorm::update(const Tree& grads) const {
  Tensor size = divided(plus(global_norm(grads), eps), scale_factor);
  return zip([&](const Tensor& g) { return g / size; }, grads);
}

// ---- Adaptive clipping.

namespace {

std::vector<std::int64_t> norm_axes(const Tensor& x, const std::optional<Axes>& axis) {
  std::vector<std::int64_t> out;
  if (axis) {
    if (auto* one = std::get_if<int>(&*axis)) return {*one};
    for (int i : std::get<std::vector<int>>(*axis)) out.push_back(i);
    return out;
  }
  std::int64_t long_axes = 0;
  for (std::int64_t size : x.sizes()) long_axes += size != 1;
  if (x.dim() > 5 && long_axes > 1) {
    throw konfig::Error(konfig::ErrorKind::value, "axis",
                        "adaptive_grad_clip knows the units of leaves of up to 5 axes, not of " +
                            std::to_string(x.dim()) + "; name the axes of a unit");
  }
  std::int64_t n = x.dim();  // one unit
  if (long_axes > 1) n = x.dim() <= 3 ? 1 : x.dim() - 1;
  for (std::int64_t i = 0; i < n; ++i) out.push_back(i);
  return out;
}

Tensor unit_norms(const Tensor& x, const std::optional<Axes>& axis) {
  const auto axes = norm_axes(x, axis);
  if (static_cast<std::int64_t>(axes.size()) == x.dim()) return norm(x);
  return root((x * x).sum(axes, /*keepdim=*/true));
}

}  // namespace

Tree AdaptiveGradClip::update(const Tree& grads, const Tree& params) const {
  need_params(params, "adaptive_grad_clip");
  return zip(
      [&](const Tensor& g, const Tensor& p) {
        Tensor size = unit_norms(g, axis);
        Tensor most = times(*clipping, unit_norms(p, axis).clamp_min(eps));
        return at::where(size < most, g, g * (most / size.clamp_min(1e-6)));
      },
      grads, params);
}

// ---- Cleaning.

Tree ZeroNans::init(const Tree& params) const {
  return Tree::record("ZeroNansState",
                      {{"found_nan", zip([](const Tensor&) { return flag(false); }, params)}});
}

Update ZeroNans::update(const Tree& grads, const Tree&, const Tree&) const {
  Tree found = zip([](const Tensor& g) { return g.isnan().any(); }, grads);
  Tree updates = zip(
      [](const Tensor& g) { return at::where(g.isnan(), at::zeros({}, g.options()), g); }, grads);
  return {std::move(updates), Tree::record("ZeroNansState", {{"found_nan", found}})};
}

Tree Centralize::update(const Tree& grads) const {
  return zip(
      [](const Tensor& g) {
        if (g.dim() < 2) return g;
        std::vector<std::int64_t> axes;
        for (std::int64_t i = 1; i < g.dim(); ++i) axes.push_back(i);
        return g - g.mean(axes, /*keepdim=*/true);
      },
      grads);
}

Tree KeepParamsNonnegative::update(const Tree& grads, const Tree& params) const {
  need_params(params, "keep_params_nonnegative");
  return zip([](const Tensor& u, const Tensor& p) { return at::where(p + u < 0, -p, u); }, grads,
             params);
}

}  // namespace kd::optim
