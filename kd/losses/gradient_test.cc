// The gradient of every loss against finite differences, in float64.
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include "kd/core/grad.h"
#include "kd/losses/test_tools_test.h"

namespace kd::losses {
namespace {

using Make = std::function<Tensor()>;

Tensor normal() { return at::randn({4, 3}, at::kDouble); }
Tensor classes() { return at::randint(-3, 3, {4, 1}, at::kLong); }
Tensor bits() { return at::rand({4, 3}, at::kDouble).round(); }
Tensor weights() { return at::rand({4, 3}, at::kDouble); }
Tensor shares() { return at::softmax(normal(), -1); }

struct Problem {
  Poly<Loss> loss;
  Make targets = normal;
  std::vector<std::int64_t> shape = {4, 3};
};

// Central differences of the loss as a function of one input.
Tensor numeric_gradient(const Poly<Loss>& loss, Tree context, const std::string& root,
                        const std::string& name) {
  constexpr double kStep = 1e-5;
  Tensor x = context[root][name].tensor().clone();
  context[root][name] = x;
  Tensor out = at::zeros_like(x);
  double* at = x.mutable_data_ptr<double>();
  double* to = out.mutable_data_ptr<double>();
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    double old = at[i];
    at[i] = old + kStep;
    double above = number(loss(context));
    at[i] = old - kStep;
    double below = number(loss(context));
    at[i] = old;
    to[i] = (above - below) / (2 * kStep);
  }
  return out;
}

void check(const Problem& problem) {
  SCOPED_TRACE(std::string(problem.loss.type()->name));
  Tree context = context_of(
      normal().view(problem.shape),
      problem.targets().view(problem.shape.size() == 2 ? at::IntArrayRef{4, -1}
                                                       : at::IntArrayRef(problem.shape)));
  context["batch"]["m"] = weights().view(problem.shape).select(-1, 0).unsqueeze(-1);
  context["batch"]["v"] = bits().view(problem.shape);
  context["batch"]["g"] = bits().view(problem.shape);
  context["batch"]["i"] = at::rand({4, 3}, at::kDouble);
  Tensor x = tracked(context["preds"]["x"].tensor());
  Tree with_grad = context;
  with_grad["preds"]["x"] = x;
  Tensor ours = grad(problem.loss(with_grad), std::vector<Tensor>{x})[0];
  Tensor wanted = numeric_gradient(problem.loss, context, "preds", "x");
  EXPECT_LT(number((ours - wanted).abs().max()), 1e-7);
}

template <class T>
T on(T loss) {
  loss.preds = "preds.x";
  loss.targets = "batch.y";
  loss.mask = "batch.m";
  loss.weight = 0.7;
  return loss;
}
template <class T>
T of_logits(T loss) {
  loss.logits = "preds.x";
  loss.labels = "batch.y";
  loss.mask = "batch.m";
  loss.weight = 0.7;
  return loss;
}

TEST(LossGradient, MatchesFiniteDifferences) {
  check({Value{.values = "preds.x", .mask = "batch.m", .weight = 2}});
  check({AbsoluteValue{.values = "preds.x", .normalize_by = NormalizeBy::values}});
  check({on(L1{})});
  check({on(L2{})});
  check({on(Huber{.delta = 0.4})});
  check({on(NegativeCosineSimilarity{.eps = 0.1})});
  check({of_logits(SoftmaxCrossEntropy{}), shares});
  check({of_logits(SoftmaxCrossEntropyWithIntLabels{}), classes});
  check({of_logits(SigmoidBinaryCrossEntropy{}), shares});
  check({on(contrib::SigmoidFocalLoss{.alpha = 0.3, .gamma = 1.5}), bits});
  check({on(contrib::SigmoidFocalLoss{.alpha = -1}), bits});
  check({on(contrib::DiceLoss{}), bits, {2, 2, 1, 3}});
  check({on(contrib::WeightedL1{.visible = "batch.v", .bg_mask = "batch.g", .ratio_value = 0.3})});
  check({on(contrib::WeightedL1{.visible = "batch.v",
                                .bg_mask = "batch.g",
                                .ratio_value = 0.3,
                                .ratio_type = contrib::RatioType::dynamic})});
}

// The other input of the overlap loss, which does not depend on the first one smoothly.
TEST(LossGradient, OfPredictedOverlaps) {
  for (bool l1 : {true, false}) {
    contrib::IoULoss loss{
        .preds = "preds.x", .targets = "batch.y", .pred_ious = "batch.i", .use_l1_loss = l1};
    Tree context =
        context_of(at::randn({2, 3, 4, 5}, at::kDouble), at::randn({2, 3, 4, 5}, at::kDouble));
    context["batch"]["i"] = at::rand({2, 3}, at::kDouble);
    Tree with_grad = context;
    Tensor x = tracked(context["batch"]["i"].tensor());
    with_grad["batch"]["i"] = x;
    Tensor ours = grad(Poly<Loss>(loss)(with_grad), std::vector<Tensor>{x})[0];
    Tensor wanted = numeric_gradient(loss, context, "batch", "i");
    EXPECT_LT(number((ours - wanted).abs().max()), 1e-7);
  }
}

// At 0 the slope of |x| is 1, as in the reference.
TEST(LossGradient, OfMagnitudeAtZero) {
  Tensor x = tracked(at::tensor({0.0, -0.0, -2.0, 3.0}));
  Poly<Loss> loss = AbsoluteValue{.values = "preds.x"};
  Tensor g = grad(loss(context_of(x, at::tensor(0.0))), std::vector<Tensor>{x})[0] * 4;
  EXPECT_TRUE(g.equal(at::tensor({1.0, 1.0, -1.0, 1.0})));
}

// A label that is no class makes the value NaN, but not the gradient.
TEST(LossGradient, OfUnknownLabels) {
  Tensor x = tracked(at::randn({2, 3}));
  Poly<Loss> loss = SoftmaxCrossEntropyWithIntLabels{.logits = "preds.x", .labels = "batch.y"};
  Tree context = context_of(x, at::tensor({1, 3}).view({2, 1}));
  Tensor g = grad(loss(context), std::vector<Tensor>{x})[0];
  EXPECT_LT(number((g[1] - at::softmax(x.detach()[1], -1) / 2).abs().max()), 1e-6);
}

}  // namespace
}  // namespace kd::losses
