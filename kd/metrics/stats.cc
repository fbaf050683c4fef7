// Norms, standard deviations, single elements.
#include "kd/metrics/stats.h"

#include <ATen/ops/linalg_matrix_norm.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>

#include "base/shape_text.h"
#include "kd/metrics/engine/mask.h"
#include "kd/metrics/engine/metric.h"
#include "kd/metrics/engine/reduce.h"
#include "kd/metrics/engine/stats_states.h"

namespace kd::metrics {

using konfig::Error;
using konfig::ErrorKind;

namespace {

double number(const NormOrder& ord) {
  if (auto* value = std::get_if<double>(&ord)) return *value;
  const bool nuclear = std::get<MatrixNorm>(ord) == MatrixNorm::nuc;
  throw Error(ErrorKind::value, std::string("Norm.ord: '") + (nuclear ? "nuc" : "fro") +
                                    "' is for matrices: set axis to two axes, aggregation to "
                                    "average");
}

std::int64_t checked_axis(const Tensor& tensor, int axis) {
  if (axis < -tensor.dim() || axis >= tensor.dim()) {
    throw Error(ErrorKind::value, "Norm.axis: " + std::to_string(axis) +
                                      " is no axis of a tensor of shape " +
                                      base::tuple_text(tensor.sizes()));
  }
  return axis;
}

Tensor vector_norm(const Tensor& x, double ord, at::IntArrayRef axes) {
  if (ord == 2) return sum_over(x.square(), axes, true).sqrt();
  if (ord == 0) return sum_over(x != 0, axes, true).to(x.scalar_type());
  if (std::isinf(ord)) return ord > 0 ? x.abs().amax(axes, true) : x.abs().amin(axes, true);
  return sum_over(x.abs().pow(ord), axes, true).pow(1 / ord);
}

Tensor matrix_norm(const Tensor& x, at::IntArrayRef axes, const std::optional<NormOrder>& ord) {
  if (!ord) return vector_norm(x, 2, axes);
  if (auto* value = std::get_if<double>(&*ord)) {
    return at::linalg_matrix_norm(x, at::Scalar(*value), axes, true);
  }
  const bool nuclear = std::get<MatrixNorm>(*ord) == MatrixNorm::nuc;
  return nuclear ? at::linalg_matrix_norm(x, "nuc", axes, true) : vector_norm(x, 2, axes);
}

// With every axis kept, those of the norm as 1.
Tensor norm_of(const Tensor& tensor, const Norm& norm) {
  if (!norm.axis) {
    std::vector<std::int64_t> ones(static_cast<std::size_t>(tensor.dim()), 1);
    return vector_norm(tensor.reshape({-1}), norm.ord ? number(*norm.ord) : 2, {0}).view(ones);
  }
  if (auto* pair = std::get_if<std::array<int, 2>>(&*norm.axis)) {
    return matrix_norm(tensor, {checked_axis(tensor, (*pair)[0]), checked_axis(tensor, (*pair)[1])},
                       norm.ord);
  }
  std::int64_t axis = checked_axis(tensor, std::get<int>(*norm.axis));
  return vector_norm(tensor, norm.ord ? number(*norm.ord) : 2, {axis});
}

}  // namespace

NormState Norm::get_state(Float<"*any"> tensor, std::optional<Tensor> mask) const {
  Tensor norms = norm_of(tensor, *this);
  if (mask) mask = align_right(*mask, norms);
  std::optional<double> exponent;
  if (aggregation_type == Aggregation::concat) {
    double power = ord ? number(*ord) : 2.0;
    if (power == 0) power = 2.0;
    norms = norms.pow(power);
    exponent = 1 / power;
  }
  auto [total, count] = AverageState::from_values(norms, mask);
  return {.total = total, .count = count, .exponent = exponent};
}

Tensor NormState::compute() const {
  if (exponent.empty() || !*exponent) return AverageState{total, count}.compute();
  return total.tensor().pow(**exponent);
}

StdState Std::get_state(Float<"*b n"> values, std::optional<Array<"*b 1">> mask) const {
  if (!mask) {
    return {.total = sum_all(values),
            .sum_of_squares = sum_all(values.square()),
            .count = static_cast<double>(values.numel())};
  }
  Tensor weights = align_right(*mask, values);
  auto sum = [&](const Tensor& x) {
    return sum_all(at::where(weights != 0, x, at::zeros_like(x)));
  };
  return {.total = sum(values), .sum_of_squares = sum(values.square()), .count = sum_all(weights)};
}

Tensor StdState::compute() const {
  Tensor mean = total.tensor() / count.tensor();
  return (sum_of_squares.tensor() / count.tensor() - mean.square()).clamp_min(0).sqrt();
}

AverageState SingleDimension::get_state(Float<"*any"> tensor) const {
  if (!index) return AverageState::from_values(tensor);
  if (tensor.dim() == 0 || *index < -tensor.size(-1) || *index >= tensor.size(-1)) {
    throw Error(ErrorKind::index, "SingleDimension.index: " + std::to_string(*index) +
                                      " is beyond the last axis of a tensor of shape " +
                                      base::tuple_text(tensor.sizes()));
  }
  return AverageState::from_values(tensor.select(-1, *index));
}

}  // namespace kd::metrics
