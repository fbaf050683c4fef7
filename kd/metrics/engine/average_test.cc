// Averages over batches and their masks; sums that do not depend on the number of threads.
#include "kd/metrics/engine/average.h"

#include <ATen/Parallel.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include "kd/metrics/engine/reduce.h"

namespace kd::metrics {
namespace {

double value(const AverageState& state) { return state.compute().item().toDouble(); }

TEST(Average, MasksAreAlignedToTheLeft) {
  Tensor values = at::arange(6.f).view({2, 3});
  Tensor rows = at::tensor({0.f, 1.f});
  EXPECT_EQ(value(AverageState::from_values(values, rows)), 4);
  EXPECT_EQ(value(AverageState::from_values(values, rows.view({2, 1}))), 4);
  EXPECT_EQ(AverageState::from_values(values, rows).count.tensor().item().toDouble(), 3);
  EXPECT_EQ(value(AverageState::from_values(values, rows.to(at::kBool))), 4);
  EXPECT_THROW(AverageState::from_values(values, at::ones({3})), konfig::Error);
  EXPECT_THROW(AverageState::from_values(values, at::ones({1, 3})), konfig::Error);
  EXPECT_THROW(AverageState::from_values(values, at::ones({2, 3, 1})), konfig::Error);
}

TEST(Average, EmptyIsZero) {
  EXPECT_EQ(value(AverageState()), 0);
  EXPECT_EQ(value(AverageState::from_values(at::ones({0, 3}))), 0);
  EXPECT_EQ(value(AverageState::from_values(at::ones({2}), at::zeros({2}))), 0);
}

TEST(Average, DtypesOfTheReference) {
  auto dtype = [](const Tensor& x) {
    return AverageState::from_values(x).total.tensor().scalar_type();
  };
  EXPECT_EQ(dtype(at::ones({2}, at::kBool)), at::kInt);
  EXPECT_EQ(dtype(at::ones({2}, at::kInt)), at::kInt);
  EXPECT_EQ(dtype(at::ones({2})), at::kFloat);
  EXPECT_EQ(dtype(at::ones({2}, at::kDouble)), at::kDouble);
  EXPECT_EQ(value(AverageState::from_values(at::ones({2}, at::kBFloat16))), 1);
}

TEST(Average, MasksOfOnesChangeNothing) {
  Tensor x = at::randn({3, 4});
  AverageState plain = AverageState::from_values(x),
               masked = AverageState::from_values(x, at::ones({3}));
  EXPECT_TRUE(plain.total.tensor().equal(masked.total.tensor()));
  EXPECT_TRUE(plain.count.tensor().equal(masked.count.tensor()));
}

TEST(Sums, DoNotDependOnTheNumberOfThreads) {
  int threads = at::get_num_threads();
  Tensor x = at::randn({1000003}), image = at::randn({1, 512, 512, 3});
  auto all = [&] {
    return std::vector<Tensor>{sum_all(x), sum_all(x.to(at::kBFloat16)),
                               sum_over(image, {-3, -2, -1}), mean_over(image, {1, 2, 3}, true)};
  };
  at::set_num_threads(1);
  auto one = all();
  at::set_num_threads(2);
  auto two = all();
  at::set_num_threads(threads);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(one[i].equal(two[i])) << i;
  EXPECT_NEAR(one[0].item().toDouble(), x.to(at::kDouble).sum().item().toDouble(), 0.01);
  EXPECT_EQ(one[3].dim(), 4);
}

TEST(Sums, OfOddSizesAndNothing) {
  for (std::int64_t n : {0, 1, 4095, 32767, 32768, 32769, 100001}) {
    EXPECT_EQ(sum_all(at::ones({n})).item().toDouble(), static_cast<double>(n));
    EXPECT_EQ(sum_all(at::ones({n}, at::kBool)).item().toLong(), n);
  }
  EXPECT_EQ(sum_over(at::ones({2, 0}), {1}).sum().item().toDouble(), 0);
}

}  // namespace
}  // namespace kd::metrics
