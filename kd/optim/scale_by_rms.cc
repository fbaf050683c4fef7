// Scaling by sums and averages of squares.
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include "kd/optim/engine/transform.h"
#include "kd/optim/math_impl.h"
#include "kd/optim/scale.h"
#include "kd/optim/scale_by_moments.h"
#include "kd/optim/zip_impl.h"
#include "konfig/error.h"

namespace kd::optim {

namespace {

// 1 / sqrt(t + eps), and 0 where t is.
Tensor inverse_root(const Tensor& t, double eps) {
  return at::where(t > 0, plus(t, eps).rsqrt(), at::zeros({}, t.options()));
}

// g / sqrt(square + eps), or g / (sqrt(square) + eps).
Tensor over_deviation(const Tensor& g, const Tensor& square, double eps, bool eps_in_sqrt) {
  if (eps_in_sqrt) return plus(square, eps).rsqrt() * g;
  return plus(root(square), eps).reciprocal() * g;
}

}  // namespace

// ---- The root of the sum of squares.

Tree ScaleByRss::init(const Tree& params) const {
  return Tree::record("ScaleByRssState",
                      {{"sum_of_squares", full_like(params, initial_accumulator_value)}});
}

Update ScaleByRss::update(const Tree& grads, const Tree& state, const Tree&) const {
  const char* type = "ScaleByRssState";
  Tree sum = zip([](const Tensor& g, const Tensor& s) { return g * g + s; }, grads,
                 field(state, type, "sum_of_squares"));
  Tree updates =
      zip([&](const Tensor& s, const Tensor& g) { return inverse_root(s, eps) * g; }, sum, grads);
  return {std::move(updates), Tree::record(type, {{"sum_of_squares", sum}})};
}

// ---- The root of the mean square.

Tree ScaleByRms::init(const Tree& params) const {
  Tree nu = full_like(params, initial_scale);
  if (!bias_correction) return Tree::record("ScaleByRmsState", {{"nu", nu}});
  return Tree::record("ScaleByRmsWithCountState", {{"count", counter()}, {"nu", nu}});
}

Update ScaleByRms::update(const Tree& grads, const Tree& state, const Tree&) const {
  const char* type = bias_correction ? "ScaleByRmsWithCountState" : "ScaleByRmsState";
  Tree nu = next_moment(grads, field(state, type, "nu"), decay, 2);
  Tree nu_hat = nu, next = Tree::record(type, {{"nu", nu}});
  if (bias_correction) {
    const std::int32_t count = after(count_of(state["count"]));
    nu_hat = bias_corrected(nu, decay, count);
    next = Tree::record(type, {{"count", counter(count)}, {"nu", nu}});
  }
  return {
      zip([&](const Tensor& g, const Tensor& n) { return over_deviation(g, n, eps, eps_in_sqrt); },
          grads, nu_hat),
      std::move(next)};
}

// ---- The standard deviation.

Tree ScaleByStddev::init(const Tree& params) const {
  Tree mu = zeros_like(params), nu = full_like(params, initial_scale);
  if (!bias_correction) return Tree::record("ScaleByRStdDevState", {{"mu", mu}, {"nu", nu}});
  return Tree::record("ScaleByRStdDevWithCountState",
                      {{"count", counter()}, {"mu", mu}, {"nu", nu}});
}

Update ScaleByStddev::update(const Tree& grads, const Tree& state, const Tree&) const {
  const char* type = bias_correction ? "ScaleByRStdDevWithCountState" : "ScaleByRStdDevState";
  Tree mu = next_moment(grads, field(state, type, "mu"), decay, 1);
  Tree nu = next_moment(grads, state["nu"], decay, 2);
  Tree mu_hat = mu, nu_hat = nu, next = Tree::record(type, {{"mu", mu}, {"nu", nu}});
  if (bias_correction) {
    const std::int32_t count = after(count_of(state["count"]));
    mu_hat = bias_corrected(mu, decay, count);
    nu_hat = bias_corrected(nu, decay, count);
    next = Tree::record(type, {{"count", counter(count)}, {"mu", mu}, {"nu", nu}});
  }
  return {zip([&](const Tensor& g, const Tensor& m,
                  const Tensor& n) { return over_deviation(g, n - m * m, eps, eps_in_sqrt); },
              grads, mu_hat, nu_hat),
          std::move(next)};
}

// ---- Adadelta.

Tree ScaleByAdadelta::init(const Tree& params) const {
  return Tree::record("ScaleByAdaDeltaState",
                      {{"e_g", zeros_like(params)}, {"e_x", zeros_like(params)}});
}

Update ScaleByAdadelta::update(const Tree& grads, const Tree& state, const Tree&) const {
  const char* type = "ScaleByAdaDeltaState";
  Tree e_g = next_moment(grads, field(state, type, "e_g"), rho, 2);
  Tree updates =
      zip([&](const Tensor& g, const Tensor& of_g,
              const Tensor& of_x) { return root(plus(of_x, eps)) / root(plus(of_g, eps)) * g; },
          grads, e_g, state["e_x"]);
  Tree e_x = next_moment(updates, state["e_x"], rho, 2);
  return {std::move(updates), Tree::record(type, {{"e_g", e_g}, {"e_x", e_x}})};
}

// ---- SM3: for each axis of a leaf the largest sum along it.

namespace {

Tensor along(const Tensor& values, std::int64_t axis, std::int64_t rank) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(rank), 1);
  shape[static_cast<std::size_t>(axis)] = values.size(0);
  return values.view(shape);
}

// The smallest of the sums that an element belongs to.
Tensor cover(const Tree& sums, const Tensor& like) {
  if (like.dim() == 0) {
    throw konfig::Error(konfig::ErrorKind::value,
                        "scale_by_sm3 keeps sums along axes, and a scalar has none; leave scalars "
                        "out with a mask");
  }
  Tensor least = along(sums.child(0).tensor(), 0, like.dim());
  for (std::int64_t i = 1; i < like.dim(); ++i) {
    least = least.minimum(along(sums.child(static_cast<std::size_t>(i)).tensor(), i, like.dim()));
  }
  return least;
}

Tree largest_by_axis(const Tensor& sums) {
  Tree out = Tree::list();
  for (std::int64_t i = 0; i < sums.dim(); ++i) {
    std::vector<std::int64_t> others;
    for (std::int64_t j = 0; j < sums.dim(); ++j) {
      if (j != i) others.push_back(j);
    }
    out.push_back(others.empty() ? sums : sums.amax(others));
  }
  return out;
}

// `sums` has a list where `grads` has a leaf.
template <class F>
Tree with_sums(const Tree& grads, const Tree& sums, const F& fn) {
  if (grads.is_tensor()) return fn(grads.tensor(), sums);
  Tree out = grads;
  for (std::size_t i = 0; i < out.size(); ++i) {
    out.child(i) = with_sums(grads.child(i), sums.child(i), fn);
  }
  return out;
}

}  // namespace

Tree ScaleBySm3::init(const Tree& params) const {
  Tree sums = zip(
      [](const Tensor& p) {
        Tree axes = Tree::list();
        for (std::int64_t size : p.sizes()) axes.push_back(at::zeros({size}, p.options()));
        return axes;
      },
      params);
  return Tree::record("ScaleBySM3State", {{"mu", sums}, {"nu", zeros_like(params)}});
}

Update ScaleBySm3::update(const Tree& grads, const Tree& state, const Tree&) const {
  const char* type = "ScaleBySM3State";
  Tree sums = with_sums(grads, field(state, type, "mu"), [&](const Tensor& g, const Tree& axes) {
    return Tree(times(b2 == 1 ? 1 : 1 - b2, g * g) + times(b2, cover(axes, g)));
  });
  Tree steps =
      zip([&](const Tensor& g, const Tensor& s) { return g * inverse_root(s, eps); }, grads, sums);
  Tree nu = next_moment(steps, state["nu"], b1, 1);
  return {nu, Tree::record(type, {{"mu", zip(largest_by_axis, sums)}, {"nu", nu}})};
}

}  // namespace kd::optim
