// Adafactor's second moments: a matrix of squares as a row times a column.
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "kd/optim/engine/transform.h"
#include "kd/optim/math_impl.h"
#include "kd/optim/scale.h"
#include "kd/optim/zip_impl.h"

namespace kd::optim {

namespace {

struct Dims {
  std::int64_t d1, d0;  // of the two largest axes the smaller and the larger
};

std::optional<Dims> factored_dims(const Tensor& p, const ScaleByFactoredRms& t) {
  if (!t.factored || p.dim() < 2) return std::nullopt;
  std::vector<std::int64_t> order(static_cast<std::size_t>(p.dim()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t a, std::int64_t b) { return p.size(a) < p.size(b); });
  const std::int64_t d1 = order[order.size() - 2], d0 = order.back();
  if (p.size(d1) < t.min_dim_size_to_factor) return std::nullopt;
  return Dims{d1, d0};
}

Tensor nothing(const Tensor& p) { return at::zeros({1}, p.options()); }

Tensor without_axis(const Tensor& p, std::int64_t axis) {
  std::vector<std::int64_t> shape(p.sizes().begin(), p.sizes().end());
  shape.erase(shape.begin() + axis);
  return at::zeros(shape, p.options());
}

}  // namespace

Tree ScaleByFactoredRms::init(const Tree& params) const {
  auto make = [&](const auto& split, const auto& whole) {
    return zip(
        [&](const Tensor& p) {
          auto dims = factored_dims(p, *this);
          return dims ? split(p, *dims) : whole(p);
        },
        params);
  };
  auto row = [](const Tensor& p, Dims dims) { return without_axis(p, dims.d0); };
  auto column = [](const Tensor& p, Dims dims) { return without_axis(p, dims.d1); };
  auto none = [](const Tensor& p, Dims) { return nothing(p); };
  auto zeros = [](const Tensor& p) { return at::zeros_like(p); };
  return Tree::record("FactoredState", {{"count", counter()},
                                        {"v_row", make(row, nothing)},
                                        {"v_col", make(column, nothing)},
                                        {"v", make(none, zeros)}});
}

Update ScaleByFactoredRms::update(const Tree& grads, const Tree& state, const Tree& params) const {
  need_params(params, "scale_by_factored_rms");
  const std::int32_t count = count_of(field(state, "FactoredState", "count"));
  const float step = static_cast<float>(count - step_offset + 1);
  const Number decay{1 - std::pow(step, static_cast<float>(-decay_rate)), /*is_plain=*/false};
  auto mix = [&](const Tensor& old, const Tensor& now, const Tensor& p) {
    return (times(decay, old) + times({1 - decay.value, false}, now)).to(p.scalar_type());
  };
  Tree rows = zip(
      [&](const Tensor& g, const Tensor& v_row, const Tensor& p) {
        auto dims = factored_dims(p, *this);
        return dims ? mix(v_row, plus(g * g, epsilon).mean(dims->d0), p) : nothing(p);
      },
      grads, state["v_row"], params);
  Tree columns = zip(
      [&](const Tensor& g, const Tensor& v_col, const Tensor& p) {
        auto dims = factored_dims(p, *this);
        return dims ? mix(v_col, plus(g * g, epsilon).mean(dims->d1), p) : nothing(p);
      },
      grads, state["v_col"], params);
  Tree whole = zip(
      [&](const Tensor& g, const Tensor& v, const Tensor& p) {
        return factored_dims(p, *this) ? nothing(p) : mix(v, plus(g * g, epsilon), p);
      },
      grads, state["v"], params);
  Tree updates = zip(
      [&](const Tensor& g, const Tensor& row, const Tensor& column, const Tensor& v,
          const Tensor& p) {
        auto dims = factored_dims(p, *this);
        if (!dims) return g * v.pow(-0.5);
        const std::int64_t along = dims->d1 > dims->d0 ? dims->d1 - 1 : dims->d1;
        Tensor row_factor = (row / row.mean(along, /*keepdim=*/true)).pow(-0.5);
        return g * row_factor.unsqueeze(dims->d0) * column.pow(-0.5).unsqueeze(dims->d1);
      },
      grads, rows, columns, whole, params);
  return {std::move(updates), Tree::record("FactoredState", {{"count", counter(after(count))},
                                                             {"v_row", rows},
                                                             {"v_col", columns},
                                                             {"v", whole}})};
}

}  // namespace kd::optim
