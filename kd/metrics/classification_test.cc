// Metrics of classifiers; curves by hand.
#include "kd/metrics/classification.h"

#include <ATen/ops/ones.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kd/metrics/contrib/contrib.h"
#include "kd/metrics/curves_impl.h"
#include "kd/metrics/tools_test.h"

namespace kd::metrics {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Tensor labels(std::initializer_list<int> values) {
  return at::tensor(at::ArrayRef<int>(values)).view({-1, 1});
}

TEST(Accuracy, TakesLogitsOrLabels) {
  Tensor logits = at::tensor({0.f, 1.f, 2.f, 1.f, 1.f, 0.f}).view({2, 3});
  EXPECT_EQ(
      value_of(Accuracy{.labels = "y", .logits = "x"}, {{"x", logits}, {"y", labels({2, 1})}}),
      0.5);  // the first of equal logits counts
  EXPECT_EQ(value_of(Accuracy{.labels = "y", .pred_labels = "x"},
                     {{"x", labels({1, 1})}, {"y", labels({1, 1})}}),
            1);
  EXPECT_THAT(error_of([] {
                Poly<Metric>(Accuracy{.labels = "y"})(Tree::dict({{"y", labels({1})}}));
              }),
              HasSubstr("neither logits nor pred_labels"));
  EXPECT_THAT(error_of([&] {
                value_of(Accuracy{.labels = "y", .logits = "x"},
                         {{"x", at::ones({2, 0})}, {"y", labels({0, 0})}});
              }),
              AllOf(HasSubstr("Accuracy"), HasSubstr("no class")));
  EXPECT_EQ(value_of(Accuracy{.labels = "y", .logits = "x"},
                     {{"x", at::ones({0, 3})}, {"y", at::ones({0, 1}, at::kInt)}}),
            0);
}

TEST(Accuracy, MaskNeedsALastAxis) {
  Accuracy metric{.labels = "y", .logits = "x", .mask = "m"};
  EXPECT_THAT(
      error_of([&] {
        value_of(metric, {{"x", at::ones({3, 4})}, {"y", labels({0, 1, 2})}, {"m", at::ones({3})}});
      }),
      HasSubstr("mask"));
}

// Counts pairs, which the area is about.
double pairs_auc(const std::vector<detail::Sample>& samples) {
  double right = 0, all = 0;
  for (auto& p : samples) {
    for (auto& n : samples) {
      if (!p.positive || n.positive) continue;
      double weight = p.weight * n.weight;
      all += weight;
      right += weight * (p.score > n.score ? 1 : p.score == n.score ? 0.5 : 0);
    }
  }
  return right / all;
}

TEST(Curves, AreaIsTheFractionOfRightPairs) {
  for (int seed = 0; seed < 50; ++seed) {
    std::vector<detail::Sample> samples;
    for (int i = 0; i < 20; ++i) {
      auto draw = [&] { return at::randint(0, 7, {}).item().toDouble(); };
      samples.push_back({draw(), i % 3 == 0, draw() / 4});  // with ties, and weights of 0
    }
    EXPECT_NEAR(detail::roc_auc(samples), pairs_auc(samples), 1e-12);
  }
}

TEST(Curves, EdgeCases) {
  EXPECT_TRUE(std::isnan(detail::roc_auc({})));
  EXPECT_TRUE(std::isnan(detail::roc_auc({{1, true, 1}, {2, true, 1}})));
  EXPECT_TRUE(std::isnan(detail::roc_auc({{1, true, 0}, {2, false, 1}})));
  EXPECT_EQ(detail::average_precision({}), 0);
  EXPECT_EQ(detail::average_precision({{1, false, 1}}), 0);
  EXPECT_EQ(detail::average_precision({{1, true, 1}}), 1);
  EXPECT_NEAR(
      detail::average_precision({{.1, false, 1}, {.4, false, 1}, {.35, true, 1}, {.8, true, 1}}),
      0.83333, 1e-5);
}

Tensor random_logits(int n, int classes) { return at::randn({n, classes}); }

TEST(RocAuc, DoesNotDependOnBatches) {
  Poly<Metric> metric = RocAuc{.logits = "x", .labels = "y"};
  Tensor x = random_logits(12, 3), y = at::randint(0, 3, {12, 1}, at::kInt);
  y[0][0] = 0, y[1][0] = 1, y[2][0] = 2;
  State merged;
  for (int i = 11; i >= 0; --i) {
    merged = std::move(merged).merge(
        get_state(metric, Tree::dict({{"x", x.narrow(0, i, 1)}, {"y", y.narrow(0, i, 1)}})));
  }
  EXPECT_NEAR(number(merged.finalize().compute()), value_of(metric, {{"x", x}, {"y", y}}), 1e-12);
}

TEST(RocAuc, Errors) {
  Tensor x = random_logits(4, 3);
  auto run = [&](RocAuc metric, std::initializer_list<int> y) {
    metric.logits = "x", metric.labels = "y";
    return error_of([&] { value_of(metric, {{"x", x}, {"y", labels(y)}}); });
  };
  EXPECT_THAT(run({}, {0, 1, 2, 5}), AllOf(HasSubstr("RocAuc"), HasSubstr("label 5")));
  EXPECT_THAT(run({.unique_labels = std::vector{0, 1}}, {0, 1, 2, 0}), HasSubstr("label 2"));
  EXPECT_THAT(run({.unique_labels = std::vector{1, 0}}, {0, 1, 1, 0}), HasSubstr("in order"));
  EXPECT_THAT(run({.multi_class_mode = MultiClassMode::ovo}, {0, 1, 2, 0}), HasSubstr("ovr"));
  EXPECT_EQ(run({}, {1, 1, 1, 1}), "");
  x[0][0] = std::nanf("");
  EXPECT_THAT(run({}, {0, 1, 2, 0}), HasSubstr("logits"));
  EXPECT_EQ(number(empty(Poly<Metric>(RocAuc{})).finalize().compute()), 0);
}

TEST(Multilabel, AnyOrderAndErrors) {
  Poly<Metric> metric = contrib::MultilabelAveragePrecision{.scores = "x", .labels = "y"};
  Tensor x = at::tensor({.1f, .4f, .35f, .8f}).view({4, 1}), y = labels({0, 0, 1, 1});
  EXPECT_NEAR(value_of(metric, {{"x", x}, {"y", y}}), 0.83333, 1e-5);
  EXPECT_NEAR(value_of(metric, {{"x", x.flip(0)}, {"y", y.flip(0)}}), 0.83333, 1e-5);
  EXPECT_THAT(error_of([&] { value_of(metric, {{"x", x}, {"y", y + 1}}); }), HasSubstr("0 or 1"));
}

}  // namespace
}  // namespace kd::metrics
