// Adam's update and those of its nearest relatives.
#include <cmath>

#include <ATen/ops/maximum.h>

#include "kd/optim/engine/transform.h"
#include "kd/optim/math_impl.h"
#include "kd/optim/scale_by_moments.h"
#include "kd/optim/zip_impl.h"

namespace kd::optim {

namespace {

Tree moments(const char* type, const Tree& params, std::optional<DType> mu_dtype = {}) {
  return Tree::record(
      type,
      {{"count", counter()}, {"mu", zeros_like(params, mu_dtype)}, {"nu", zeros_like(params)}});
}

}  // namespace

// ---- Adam.

Tree ScaleByAdam::init(const Tree& params) const {
  return moments("ScaleByAdamState", params, mu_dtype);
}

Update ScaleByAdam::update(const Tree& grads, const Tree& state, const Tree&) const {
  const char* type = "ScaleByAdamState";
  const std::int32_t count = after(count_of(field(state, type, "count")));
  Tree mu = next_moment(grads, state["mu"], b1, 1);
  Tree nu = next_moment(grads, state["nu"], b2, 2);
  Tree mu_hat = nesterov ? nesterov_moment(mu, grads, b1, count) : bias_corrected(mu, b1, count);
  Tree updates = over_root(mu_hat, bias_corrected(nu, b2, count), eps_root, eps);
  return {std::move(updates), Tree::record(type, {{"count", counter(count)},
                                                  {"mu", cast(mu, mu_dtype)},
                                                  {"nu", cast_like(nu, state["nu"])}})};
}

// ---- Adamax.

Tree ScaleByAdamax::init(const Tree& params) const { return moments("ScaleByAdamState", params); }

Update ScaleByAdamax::update(const Tree& grads, const Tree& state, const Tree&) const {
  const char* type = "ScaleByAdamState";
  const std::int32_t count = after(count_of(field(state, type, "count")));
  Tree mu = next_moment(grads, state["mu"], b1, 1);
  Tree nu = zip([&](const Tensor& g,
                    const Tensor& v) { return at::maximum(plus(g.abs(), eps), times(b2, v)); },
                grads, state["nu"]);
  Tree updates = zip([](const Tensor& m, const Tensor& v) { return m / v; },
                     bias_corrected(mu, b1, count), nu);
  return {std::move(updates),
          Tree::record(type, {{"count", counter(count)}, {"mu", mu}, {"nu", nu}})};
}

// ---- AMSGrad.

Tree ScaleByAmsgrad::init(const Tree& params) const {
  return Tree::record("ScaleByAmsgradState", {{"count", counter()},
                                              {"mu", zeros_like(params, mu_dtype)},
                                              {"nu", zeros_like(params)},
                                              {"nu_max", zeros_like(params)}});
}

Update ScaleByAmsgrad::update(const Tree& grads, const Tree& state, const Tree&) const {
  const char* type = "ScaleByAmsgradState";
  const std::int32_t count = after(count_of(field(state, type, "count")));
  Tree mu = next_moment(grads, state["mu"], b1, 1);
  Tree nu = next_moment(grads, state["nu"], b2, 2);
  Tree nu_max = zip([](const Tensor& a, const Tensor& b) { return at::maximum(a, b); },
                    state["nu_max"], bias_correction_nu ? bias_corrected(nu, b2, count) : nu);
  Tree updates =
      over_root(bias_correction_mu ? bias_corrected(mu, b1, count) : mu, nu_max, eps_root, eps);
  return {std::move(updates), Tree::record(type, {{"count", counter(count)},
                                                  {"mu", cast(mu, mu_dtype)},
                                                  {"nu", nu},
                                                  {"nu_max", nu_max}})};
}

// ---- RAdam.

Tree ScaleByRAdam::init(const Tree& params) const { return moments("ScaleByAdamState", params); }

Update ScaleByRAdam::update(const Tree& grads, const Tree& state, const Tree&) const {
  const char* type = "ScaleByAdamState";
  const std::int32_t count = after(count_of(field(state, type, "count")));
  Tree mu = next_moment(grads, state["mu"], b1, 1);
  Tree nu = next_moment(grads, state["nu"], b2, 2);
  Tree mu_hat = nesterov ? nesterov_moment(mu, grads, b1, count) : bias_corrected(mu, b1, count);
  // The length of the moving average is the difference of two nearly equal float32 numbers.
  const double inf = 2.0 / (1.0 - b2) - 1.0;
  const float b2t = std::pow(static_cast<float>(b2), static_cast<float>(count));
  const float length =
      static_cast<float>(inf) - static_cast<float>(2 * std::int64_t{count}) * b2t / (1 - b2t);
  Tree updates = mu_hat;
  if (length >= static_cast<float>(threshold)) {
    const float r = std::sqrt((length - 4) * (length - 2) * static_cast<float>(inf) /
                              (static_cast<float>((inf - 4) * (inf - 2)) * length));
    updates = over_root(zip([&](const Tensor& m) { return times(r, m); }, mu_hat),
                        bias_corrected(nu, b2, count), eps_root, eps);
  }
  return {std::move(updates),
          Tree::record(type, {{"count", counter(count)}, {"mu", mu}, {"nu", nu}})};
}

// ---- AdaBelief.

Tree ScaleByBelief::init(const Tree& params) const { return moments("ScaleByBeliefState", params); }

Update ScaleByBelief::update(const Tree& grads, const Tree& state, const Tree&) const {
  const char* type = "ScaleByBeliefState";
  const std::int32_t count = after(count_of(field(state, type, "count")));
  Tree mu = next_moment(grads, state["mu"], b1, 1);
  Tree surprise = zip([](const Tensor& g, const Tensor& m) { return g - m; }, grads, mu);
  Tree nu = zip(
      [&](const Tensor& s, const Tensor& v) { return plus(next_moment(s, v, b2, 2), eps_root); },
      surprise, state["nu"]);
  Tree mu_hat = nesterov ? nesterov_moment(mu, grads, b1, count) : bias_corrected(mu, b1, count);
  Tree updates = zip([&](const Tensor& m, const Tensor& v) { return m / plus(root(v), eps); },
                     mu_hat, bias_corrected(nu, b2, count));
  return {std::move(updates),
          Tree::record(type, {{"count", counter(count)}, {"mu", mu}, {"nu", nu}})};
}

// ---- Yogi.

Tree ScaleByYogi::init(const Tree& params) const {
  Tree start = full_like(params, initial_accumulator_value);
  return Tree::record("ScaleByAdamState",
                      {{"count", counter()}, {"mu", start}, {"nu", clone(start)}});
}

Update ScaleByYogi::update(const Tree& grads, const Tree& state, const Tree&) const {
  const char* type = "ScaleByAdamState";
  const std::int32_t count = after(count_of(field(state, type, "count")));
  Tree mu = next_moment(grads, state["mu"], b1, 1);
  Tree nu = zip(
      [&](const Tensor& g, const Tensor& v) {
        const Tensor square = g * g;
        return v - times(1 - b2, sign_of(v - square)) * square;
      },
      grads, state["nu"]);
  Tree updates =
      over_root(bias_corrected(mu, b1, count), bias_corrected(nu, b2, count), eps_root, eps);
  return {std::move(updates),
          Tree::record(type, {{"count", counter(count)}, {"mu", mu}, {"nu", nu}})};
}

// ---- Adan.

Tree ScaleByAdan::init(const Tree& params) const {
  return Tree::record("ScaleByAdanState", {{"m", zeros_like(params)},
                                           {"v", zeros_like(params)},
                                           {"n", zeros_like(params)},
                                           {"g", zeros_like(params)},
                                           {"t", counter()}});
}

Update ScaleByAdan::update(const Tree& grads, const Tree& state, const Tree&) const {
  const char* type = "ScaleByAdanState";
  const std::int32_t before = count_of(field(state, type, "t"));
  const std::int32_t count = after(before);
  Tree diff = before == 0 ? zeros_like(grads)
                          : zip([](const Tensor& g, const Tensor& old) { return g - old; }, grads,
                                state["g"]);
  auto add_share = [&](const Tree& a, const Tree& b) {
    return zip([&](const Tensor& x, const Tensor& y) { return x + times(1 - b2, y); }, a, b);
  };
  Tree m = next_moment(grads, state["m"], b1, 1);
  Tree v = next_moment(diff, state["v"], b2, 1);
  Tree n = next_moment(add_share(grads, diff), state["n"], b3, 2);
  Tree step = add_share(bias_corrected(m, b1, count), bias_corrected(v, b2, count));
  return {over_root(step, bias_corrected(n, b3, count), eps_root, eps),
          Tree::record(type,
                       {{"m", m}, {"v", v}, {"n", n}, {"g", clone(grads)}, {"t", counter(count)}})};
}

}  // namespace kd::optim
