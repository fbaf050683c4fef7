// Steps by signs, by changes of the gradient, and by the norm of a leaf.
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include "kd/optim/engine/transform.h"
#include "kd/optim/math_impl.h"
#include "kd/optim/reduce_impl.h"
#include "kd/optim/scale.h"
#include "kd/optim/scale_by_moments.h"
#include "kd/optim/zip_impl.h"
#include "konfig/error.h"

namespace kd::optim {

Tree ScaleBySign::update(const Tree& grads) const { return zip(sign_of, grads); }

// ---- Lion.

Tree ScaleByLion::init(const Tree& params) const {
  return Tree::record("ScaleByLionState",
                      {{"count", counter()}, {"mu", zeros_like(params, mu_dtype)}});
}

Update ScaleByLion::update(const Tree& grads, const Tree& state, const Tree&) const {
  const char* type = "ScaleByLionState";
  const std::int32_t count = after(count_of(field(state, type, "count")));
  Tree updates = zip(
      [&](const Tensor& g, const Tensor& m) {
        Tensor x = next_moment(g, m, b1, 1);
        if (mode == SignMode::smooth) return times(smooth_beta, x).tanh();
        Tensor sign = sign_of(x);
        return mode == SignMode::refined ? at::where(x.abs() < 1, x, sign) : sign;
      },
      grads, state["mu"]);
  Tree mu = cast(next_moment(grads, state["mu"], b2, 1), mu_dtype);
  return {std::move(updates), Tree::record(type, {{"count", counter(count)}, {"mu", mu}})};
}

// ---- Rprop.

Tree ScaleByRprop::init(const Tree& params) const {
  return Tree::record("ScaleByRpropState", {{"step_sizes", full_like(params, learning_rate)},
                                            {"prev_updates", zeros_like(params)}});
}

Update ScaleByRprop::update(const Tree& grads, const Tree& state, const Tree&) const {
  const char* type = "ScaleByRpropState";
  auto product = [](const Tensor& a, const Tensor& b) { return a * b; };
  const Tree& last = field(state, type, "prev_updates");
  Tree agreement = zip(product, grads, last);
  Tree sizes = zip(
      [&](const Tensor& s, const Tensor& size) {
        Tensor factor = at::where(s > 0, eta_plus, eta_minus).to(size.scalar_type());
        return at::where(s == 0, size, (size * factor).clamp(min_step_size, max_step_size));
      },
      agreement, state["step_sizes"]);
  auto zero_where_turned = [](const Tensor& s, const Tensor& x) {
    return at::where(s < 0, at::zeros({}, x.options()), x);
  };
  Tree steps = zip([&](const Tensor& s, const Tensor& g,
                       const Tensor& size) { return zero_where_turned(s, size * sign_of(g)); },
                   agreement, grads, sizes);
  // One step late, as in the reference.
  Tree updates = zip(zero_where_turned, agreement, last);
  return {std::move(updates), Tree::record(type, {{"step_sizes", sizes}, {"prev_updates", steps}})};
}

// ---- Optimistic gradients.

Tree ScaleByOptimisticGradient::init(const Tree& params) const {
  return Tree::record("ScaleByOptimisticGradientState",
                      {{"is_initial_step", flag(true)}, {"previous_gradient", zeros_like(params)}});
}

Update ScaleByOptimisticGradient::update(const Tree& grads, const Tree& state, const Tree&) const {
  const char* type = "ScaleByOptimisticGradientState";
  const bool first = flag_of(field(state, type, "is_initial_step"));
  Tree updates = zip(
      [&](const Tensor& g, const Tensor& last) {
        return times(alpha + beta, g) - times(beta, first ? g : last);
      },
      grads, state["previous_gradient"]);
  return {std::move(updates), Tree::record(type, {{"is_initial_step", flag(false)},
                                                  {"previous_gradient", clone(grads)}})};
}

// ---- NovoGrad.

Tree ScaleByNovograd::init(const Tree& params) const {
  return Tree::record(
      "ScaleByNovogradState",
      {{"count", counter()},
       {"mu", zeros_like(params, mu_dtype)},
       {"nu", zip([](const Tensor& p) { return at::zeros({}, p.options()); }, params)}});
}

Update ScaleByNovograd::update(const Tree& grads, const Tree& state, const Tree& params) const {
  const char* type = "ScaleByNovogradState";
  need_params(params, "scale_by_novograd");
  const std::int32_t count = after(count_of(field(state, type, "count")));
  const bool first = count == 1;
  Tree nu = zip(
      [&](const Tensor& g, const Tensor& n) {
        Tensor size = norm(g);
        Tensor square = (size * size).to(n.scalar_type());
        return first ? square : next_moment(square, n, b2, 1);
      },
      grads, state["nu"]);
  Tree mu = zip(
      [&](const Tensor& g, const Tensor& p, const Tensor& n, const Tensor& m) {
        Tensor step = g / plus(root(plus(n, eps_root)), eps) + times(weight_decay, p);
        return first ? step : times(b1, m) + step;
      },
      grads, params, nu, state["mu"]);
  mu = cast(mu, mu_dtype);
  return {mu, Tree::record(type, {{"count", counter(count)}, {"mu", mu}, {"nu", nu}})};
}

// ---- Norms of leaves.

Tree ScaleByTrustRatio::update(const Tree& grads, const Tree& params) const {
  need_params(params, "scale_by_trust_ratio");
  return zip(
      [&](const Tensor& u, const Tensor& p) {
        Tensor of_p = safe_norm(p, min_norm), of_u = safe_norm(u, min_norm);
        Tensor ratio = times(trust_coefficient, of_p) / plus(of_u, eps);
        Tensor none = (of_p == 0).logical_or(of_u == 0);
        return u * at::where(none, at::ones({}, p.options()), ratio);
      },
      grads, params);
}

Tree ScaleByParamBlockNorm::update(const Tree& grads, const Tree& params) const {
  need_params(params, "scale_by_param_block_norm");
  return zip([&](const Tensor& u, const Tensor& p) { return u * safe_norm(p, min_scale); }, grads,
             params);
}

Tree ScaleByParamBlockRms::update(const Tree& grads, const Tree& params) const {
  need_params(params, "scale_by_param_block_rms");
  return zip(
      [&](const Tensor& u, const Tensor& p) {
        Tensor size = root_mean_square(p);
        return u * at::where(size <= min_scale, at::full({}, min_scale, p.options()), size);
      },
      grads, params);
}

}  // namespace kd::optim
