// What experiments minimise and measure.
#include "kd/problems/objectives.h"

#include <ATen/ops/argmax.h>
#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include "kd/core/ops.h"
#include "kd/losses/engine/loss.h"
#include "konfig/error.h"

namespace kd::problems {

using konfig::Error;
using konfig::ErrorKind;

namespace {

Tensor only_logit(const Tensor& logits) {
  if (logits.size(-1) == 1) return logits.select(-1, 0);
  throw Error(ErrorKind::value, "logits",
              "binary_loss needs one, that of class 1; the model gives " +
                  std::to_string(logits.size(-1)) + "; set nb_classes of the model to 1");
}

void check_labels(const Tensor& labels, std::int64_t classes) {
  if (labels.numel() == 0) return;
  const auto low = labels.min().item<std::int64_t>(), high = labels.max().item<std::int64_t>();
  if (low >= 0 && high < classes) return;
  throw Error(ErrorKind::value, "labels",
              "expected 0 to " + std::to_string(classes - 1) + ", got " +
                  std::to_string(low < 0 ? low : high) + "; set nb_classes of the model");
}

}  // namespace

Float<"b"> CrossEntropy::get_values(Float<"b n"> x, Int<"b"> y) const {
  const Tensor scores = Tensor(x).to(at::kFloat);
  if (binary) {
    const Tensor one = only_logit(scores);
    check_labels(y, 2);
    return at::binary_cross_entropy_with_logits(one, y.to(at::kFloat), {}, {}, at::Reduction::None);
  }
  check_labels(y, scores.size(-1));
  return at::cross_entropy_loss(scores, y.to(at::kLong), {}, at::Reduction::None);
}

metrics::AverageState ClassAccuracy::get_state(Float<"b n"> x, Int<"b"> y) const {
  check_labels(y, binary ? 2 : Tensor(x).size(-1));
  const Tensor predicted = binary ? (only_logit(x) > 0).to(at::kLong) : at::argmax(x, -1);
  return metrics::AverageState::from_values((predicted == y).to(at::kFloat));
}

namespace {

// The sum of all squares. libtorch's own derivative takes three passes over the tensor.
struct SumOfSquares : torch::autograd::Function<SumOfSquares> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& x) {
    context->save_for_backward({x});
    return x.square().sum();
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& grads) {
    return {context->get_saved_variables()[0] * (grads[0] * 2)};
  }
};

}  // namespace

Tensor SquaredWeights::get_values(const Tree& weights) const {
  Tensor sum = at::zeros({1}, at::kFloat);
  for (const Tensor& weight : leaves(weights)) {
    if (weight.is_floating_point()) sum = sum + SumOfSquares::apply(weight);
  }
  return sum * (mean ? *factor / static_cast<double>(count(weights)) : *factor);
}

Float<"b"> SquaredDistance::get_values(Float<"b n"> s, Float<"b n"> t) const {
  return (s - t).square().sum(-1);
}

}  // namespace kd::problems
