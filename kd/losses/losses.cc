// The values of the losses.
#include "kd/losses/losses.h"

#include <ATen/ops/full.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/where.h>

#include <limits>

#include "kd/core/index_checks.h"
#include "kd/losses/engine/loss.h"
#include "kd/losses/losses_impl.h"
#include "kd/metrics/engine/reduce.h"

namespace kd::losses {

using metrics::sum_over;

Tensor magnitude(const Tensor& x) {
  // A factor, which the gradient does not look into: libtorch's own slope at 0 is 0.
  Tensor sign = (x.detach() >= 0).to(x.scalar_type()) * 2 - 1;
  return x * sign;
}

Float<"*a"> Value::get_values(Float<"*a"> values) const { return values; }

Float<"*a"> AbsoluteValue::get_values(Float<"*a"> values) const { return magnitude(values); }

Float<"*a"> L1::get_values(Float<"*a"> preds, Float<"*a"> targets) const {
  return magnitude(preds - targets);
}

Float<"*a"> L2::get_values(Float<"*a"> preds, Float<"*a"> targets) const {
  // One pass over the values instead of two, and one instead of four for the gradient.
  if (preds.scalar_type() == targets.scalar_type()) {
    return at::mse_loss(preds, targets, at::Reduction::None);
  }
  return (preds - targets).square();
}

Float<"*a"> Huber::get_values(Float<"*a"> preds, Float<"*a"> targets) const {
  Tensor error = preds - targets;
  Tensor distance = magnitude(error);
  return at::where(distance < delta, 0.5 * error.square(), delta * (distance - 0.5 * delta));
}

namespace {

// Not linalg_vector_norm: the gradient at a zero vector is NaN here as in the reference.
Tensor normalized(const Tensor& x, double eps) {
  return x / (sum_over(x.square(), {-1}, true).sqrt() + eps);
}

}  // namespace

Float<"*a 1"> NegativeCosineSimilarity::get_values(Float<"*a c"> preds,
                                                   Float<"*a c"> targets) const {
  return -sum_over(normalized(preds, eps) * normalized(targets, eps), {-1}, true);
}

Float<"*a 1"> SoftmaxCrossEntropy::get_values(Float<"*a n"> logits, Float<"*a n"> labels) const {
  return -sum_over(labels * at::log_softmax(logits, -1), {-1}, true);
}

namespace {

Tensor logsumexp(const Tensor& logits) {
  if (logits.numel() != logits.size(-1) || logits.numel() == 0) {
    return at::logsumexp(logits, -1, true);
  }
  // A single row: libtorch's own sum would depend on the number of threads.
  Tensor largest = logits.detach().amax({-1}, true);
  largest = at::where(largest.isfinite(), largest, 0);
  return sum_over((logits - largest).exp(), {-1}, true).log() + largest;
}

}  // namespace

Float<"*a 1"> SoftmaxCrossEntropyWithIntLabels::get_values(Float<"*a n"> logits,
                                                           Int<"*a 1"> labels) const {
  std::int64_t classes = logits.size(-1);
  Tensor all = logsumexp(logits);
  Tensor nan = at::full({}, std::numeric_limits<double>::quiet_NaN(), logits.options());
  if (classes == 0) return all + nan;
  Tensor index = labels.to(at::kLong);
  index = at::where(index < 0, index + classes, index);
  Tensor known = (index >= 0).logical_and(index < classes);
  if (checks_indices() && !known.all().item<bool>()) {
    throw konfig::Error(
        konfig::ErrorKind::index, "labels",
        "expected 0 to " + std::to_string(classes - 1) + ", found " +
            std::to_string(
                labels.to(at::kLong).masked_select(known.logical_not())[0].item<std::int64_t>()) +
            ", which checkify_error_categories forbids");
  }
  Tensor chosen = logits.gather(-1, index.clamp(0, classes - 1));
  return all - at::where(known, chosen, nan);
}

Tensor sigmoid_cross_entropy(const Tensor& logits, const Tensor& labels) {
  Tensor y = labels.to(logits.scalar_type());
  return -y * at::log_sigmoid(logits) - (1 - y) * at::log_sigmoid(-logits);
}

Float<"*a n"> SigmoidBinaryCrossEntropy::get_values(Float<"*a n"> logits,
                                                    Array<"*a n"> labels) const {
  return sigmoid_cross_entropy(logits, labels);
}

}  // namespace kd::losses
