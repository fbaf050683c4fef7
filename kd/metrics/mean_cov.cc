// Mean and covariance over batches.
#include <ATen/ops/full_like.h>
#include <ATen/ops/ones.h>

#include <limits>

#include "base/shape_text.h"
#include "kd/metrics/engine/contrib_states.h"
#include "kd/metrics/engine/reduce.h"

namespace kd::metrics::contrib {

using konfig::Error;
using konfig::ErrorKind;

MeanCov MeanCov::from_samples(const Tensor& samples, const std::optional<Tensor>& fweights,
                              int ddof) {
  bool fits = samples.dim() == 2 && samples.is_floating_point() &&
              (!fweights || (fweights->dim() == 1 && fweights->size(0) == samples.size(0)));
  if (!fits) {
    throw Error(ErrorKind::type,
                "MeanCov: samples are floats of shape (b, n) and fweights (b,), found " +
                    base::tuple_text(samples.sizes()) +
                    (fweights ? " and " + base::tuple_text(fweights->sizes()) : ""));
  }
  Tensor weights = fweights ? fweights->to(samples.scalar_type())
                            : at::ones({samples.size(0)}, samples.options());
  MeanCov out{.ddof = ddof};
  out.weight = sum_all(weights, at::kFloat);
  Tensor column = weights.unsqueeze(1);
  out.total = (column * samples).sum(0);
  Tensor deviation = samples - out.total / out.weight;
  out.squares = (column * deviation).t().matmul(deviation);
  return out;
}

MeanCov MeanCov::merge(const MeanCov& other) const {
  if (!weight.defined()) return other;
  if (!other.weight.defined()) return *this;
  if (ddof != other.ddof) {
    throw Error(ErrorKind::value, "ddof: " + std::to_string(ddof) + " and " +
                                      std::to_string(other.ddof) + " are not the same");
  }
  if (total.sizes() != other.total.sizes()) {
    throw Error(ErrorKind::value, "vectors of " + std::to_string(total.size(0)) + " and of " +
                                      std::to_string(other.total.size(0)) +
                                      " elements are not merged");
  }
  MeanCov out{.ddof = ddof};
  out.total = total + other.total;
  out.weight = weight + other.weight;
  Tensor apart = other.total * weight - total * other.weight;
  out.squares = squares + other.squares +
                apart.unsqueeze(1) * apart.unsqueeze(0) / (weight * other.weight * out.weight);
  return out;
}

MeanCov MeanCov::finalize() const {
  if (!weight.defined()) return *this;
  auto host = [](const Tensor& t) { return t.detach().cpu(); };
  return {host(total), host(squares), host(weight), ddof};
}

std::pair<Tensor, Tensor> MeanCov::mean_and_cov() const {
  if (!weight.defined()) return {};
  double count = weight.item().toDouble();
  Tensor cov = count >= ddof ? squares / (weight - ddof)
                             : at::full_like(squares, std::numeric_limits<double>::quiet_NaN());
  return {total / weight, cov};
}

Tree MeanCov::compute() const {
  auto [mean, cov] = mean_and_cov();
  return Tree::dict({{"mean", mean.defined() ? Tree(mean) : Tree()},
                     {"cov", cov.defined() ? Tree(cov) : Tree()}});
}

Tree MeanCov::tree() const {
  if (!weight.defined()) return Tree::dict();
  return Tree::dict({{"total", total}, {"squares", squares}, {"weight", weight}});
}

MeanCov MeanCov::with_tree(const Tree& tree) const {
  if (!tree.contains("weight")) return {.total = {}, .squares = {}, .weight = {}, .ddof = ddof};
  return {.total = tree["total"].tensor(),
          .squares = tree["squares"].tensor(),
          .weight = tree["weight"].tensor(),
          .ddof = ddof};
}

}  // namespace kd::metrics::contrib
