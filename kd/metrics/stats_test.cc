// Norms, standard deviations, single elements.
#include "kd/metrics/stats.h"

#include <ATen/Parallel.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kd/metrics/tools_test.h"
#include "kd/metrics/wrappers.h"

namespace kd::metrics {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Tree leaves_a_b() {
  return Tree::dict({{"params", Tree::dict({{"a", at::tensor({1.f, 2.f, 3.f})},
                                            {"b", at::tensor({4.f, 5.f, 6.f})}})}});
}

TEST(Norm, OverATree) {
  auto reduced = [](Aggregation how) {
    Norm norm{.tensor = "params", .axis = std::nullopt, .aggregation_type = how};
    return number(Poly<Metric>(TreeReduce{.metric = norm})(leaves_a_b()));
  };
  EXPECT_NEAR(reduced(Aggregation::concat), 9.539392, 1e-6);
  EXPECT_NEAR(reduced(Aggregation::average), 6.258311, 1e-6);
}

TEST(Norm, OrdersAndAxes) {
  Tensor x = at::tensor({3.f, -4.f, 0.f, 12.f}).view({2, 2});
  auto norm = [&](Norm metric) {
    metric.tensor = "x";
    return value_of(metric, {{"x", x}});
  };
  double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(norm({}), 8.5);
  EXPECT_EQ(norm({.axis = std::nullopt}), 13);
  EXPECT_EQ(norm({.axis = std::nullopt, .ord = 1}), 19);
  EXPECT_EQ(norm({.ord = inf}), 8);
  EXPECT_EQ(norm({.ord = -inf}), 1.5);
  EXPECT_EQ(norm({.ord = 0}), 1.5);
  EXPECT_EQ(norm({.axis = std::array{0, 1}}), 13);
  EXPECT_EQ(norm({.axis = std::array{-2, -1}, .ord = MatrixNorm::fro}), 13);
  EXPECT_EQ(norm({.axis = std::array{-2, -1}, .ord = 1}), 16);
  EXPECT_GT(norm({.axis = std::array{-2, -1}, .ord = MatrixNorm::nuc}), 13);
}

TEST(Norm, Errors) {
  auto error = [](Norm metric, const Tensor& x) {
    metric.tensor = "x";
    return error_of([&] { value_of(metric, {{"x", x}}); });
  };
  EXPECT_THAT(error({}, at::ones({})), AllOf(HasSubstr("Norm.axis"), HasSubstr("()")));
  EXPECT_THAT(error({.axis = 2}, at::ones({2, 2})), HasSubstr("(2, 2)"));
  EXPECT_THAT(error({.ord = MatrixNorm::nuc}, at::ones({2, 2})), HasSubstr("two axes"));
  EXPECT_NE(error({.ord = std::numeric_limits<double>::infinity()}, at::ones({2, 0})), "");
  EXPECT_THAT(error({}, at::ones({2}, at::kInt)), HasSubstr("Float"));
  EXPECT_EQ(error({}, at::ones({2, 0})), "");
  EXPECT_EQ(error({}, at::ones({0, 2})), "");
}

TEST(Norm, DoesNotDependOnTheNumberOfThreads) {
  int threads = at::get_num_threads();
  Tensor x = at::randn({700, 701});
  auto norms = [&] {
    return std::pair(value_of(Norm{.tensor = "x", .axis = std::nullopt}, {{"x", x}}),
                     value_of(Norm{.tensor = "x", .axis = std::nullopt, .ord = 3}, {{"x", x}}));
  };
  at::set_num_threads(1);
  auto one = norms();
  at::set_num_threads(2);
  auto two = norms();
  at::set_num_threads(threads);
  EXPECT_EQ(one, two);
}

TEST(Std, OfBatchesTogether) {
  Poly<Metric> metric = Std{.values = "x"};
  Tensor x = at::randn({6, 2});
  auto state = [&](int from, int n) {
    return get_state(metric, Tree::dict({{"x", x.narrow(0, from, n)}}));
  };
  double wanted = x.std(false).item().toDouble();
  EXPECT_NEAR(number(state(0, 1).merge(state(1, 5)).compute()), wanted, 1e-6);
  EXPECT_NEAR(number(state(1, 5).merge(state(0, 1)).compute()), wanted, 1e-6);
  EXPECT_TRUE(std::isnan(number(empty(metric).compute())));
  EXPECT_EQ(value_of(metric, {{"x", at::ones({3, 1})}}), 0);
}

TEST(SingleDimension, Index) {
  Tensor x = at::tensor({1.f, 2.f, 3.f, 4.f}).view({2, 2});
  EXPECT_EQ(value_of(SingleDimension{.tensor = "x"}, {{"x", x}}), 2);
  EXPECT_EQ(value_of(SingleDimension{.tensor = "x", .index = -1}, {{"x", x}}), 3);
  EXPECT_EQ(value_of(SingleDimension{.tensor = "x", .index = std::nullopt}, {{"x", x}}), 2.5);
  EXPECT_THAT(error_of([&] {
                value_of(SingleDimension{.tensor = "x", .index = 2}, {{"x", x}});
              }),
              AllOf(HasSubstr("index"), HasSubstr("(2, 2)")));
}

}  // namespace
}  // namespace kd::metrics
