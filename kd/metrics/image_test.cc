// Metrics of images and segmentations.
#include "kd/metrics/image.h"

#include <ATen/Parallel.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kd/metrics/contrib/contrib.h"
#include "kd/metrics/image_impl.h"
#include "kd/metrics/tools_test.h"

namespace kd::metrics {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Psnr, KnownValues) {
  Tensor a = at::zeros({1, 4, 4, 1}), b = a + 0.1;
  EXPECT_NEAR(value_of(Psnr{.pred = "a", .target = "b"}, {{"a", a}, {"b", b}}), 20, 1e-5);
  EXPECT_NEAR(value_of(Psnr{.pred = "a", .target = "b"}, {{"a", a}, {"b", a}}), 100, 1e-5);
  EXPECT_NEAR(value_of(Psnr{.pred = "a", .target = "b", .clip = 60.0}, {{"a", a}, {"b", a}}), 60,
              1e-5);
  EXPECT_NEAR(
      value_of(Psnr{.pred = "a", .target = "b", .in_vrange = {0, 10}}, {{"a", a}, {"b", b}}), 40,
      1e-4);
  EXPECT_THAT(
      error_of([&] {
        value_of(Psnr{.pred = "a", .target = "b", .in_vrange = {1, 1}}, {{"a", a}, {"b", b}});
      }),
      HasSubstr("in_vrange"));
  EXPECT_NE(
      error_of([&] {
        value_of(Psnr{.pred = "a", .target = "b"}, {{"a", a}, {"b", at::zeros({1, 4, 5, 1})}});
      }),
      "");
}

TEST(Ssim, BoundsAndErrors) {
  Tensor a = at::rand({2, 16, 17, 3});
  Ssim metric{.pred = "a", .target = "b"};
  EXPECT_NEAR(value_of(metric, {{"a", a}, {"b", a}}), 1, 1e-6);
  EXPECT_LT(value_of(metric, {{"a", a}, {"b", 1 - a}}), 0);
  EXPECT_THAT(error_of([&] {
                value_of(metric, {{"a", a.narrow(1, 0, 8)}, {"b", a.narrow(1, 0, 8)}});
              }),
              AllOf(HasSubstr("filter_size"), HasSubstr("11"), HasSubstr("(2, 8, 17, 3)")));
}

TEST(ImageMetrics, DoNotDependOnTheNumberOfThreads) {
  int threads = at::get_num_threads();
  Tree::Items images = {{"a", at::rand({1, 200, 200, 3})}, {"b", at::rand({1, 200, 200, 3})}};
  auto both = [&] {
    return std::pair(value_of(Psnr{.pred = "a", .target = "b"}, images),
                     value_of(Ssim{.pred = "a", .target = "b"}, images));
  };
  at::set_num_threads(1);
  auto one = both();
  at::set_num_threads(2);
  auto two = both();
  at::set_num_threads(threads);
  EXPECT_EQ(one, two);
}

TEST(Resize, KeepsConstantsAndEnds) {
  Tensor flat = at::ones({2, 5, 7, 1});
  for (auto [h, w] : {std::pair(3, 3), std::pair(11, 4), std::pair(5, 7)}) {
    Tensor out = detail::resize_linear(flat, h, w);
    EXPECT_EQ(out.sizes().vec(), (std::vector<std::int64_t>{2, h, w, 1}));
    EXPECT_LT((out - 1).abs().max().item().toFloat(), 1e-6);
  }
  Tensor ramp = at::arange(4.f).view({1, 1, 4, 1});
  Tensor wide = detail::resize_linear(ramp, 1, 8).view({-1});
  Tensor wanted = at::tensor({0.f, .25f, .75f, 1.25f, 1.75f, 2.25f, 2.75f, 3.f});
  EXPECT_LT((wide - wanted).abs().max().item().toFloat(), 1e-6);
}

// By its definition: over all pairs of pixels.
double rand_index(const std::vector<int>& a, const std::vector<int>& b) {
  double both = 0, in_a = 0, in_b = 0, all = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = i + 1; j < a.size(); ++j) {
      both += a[i] == a[j] && b[i] == b[j];
      in_a += a[i] == a[j];
      in_b += b[i] == b[j];
      all += 1;
    }
  }
  double expected = in_a * in_b / all;
  return (both - expected) / ((in_a + in_b) / 2 - expected);
}

TEST(Ari, AgreesWithCountingPairs) {
  Tensor a = at::randint(0, 3, {1, 2, 3, 4, 1}, at::kInt),
         b = at::randint(0, 4, {1, 2, 3, 4, 1}, at::kInt);
  auto list = [](const Tensor& t) {
    return std::vector<int>(t.const_data_ptr<int>(), t.const_data_ptr<int>() + t.numel());
  };
  Ari metric{.num_instances_true = 4, .num_instances_pred = 3, .predictions = "a", .labels = "b"};
  EXPECT_NEAR(value_of(metric, {{"a", a}, {"b", b}}), rand_index(list(a), list(b)), 1e-6);
  EXPECT_NEAR(value_of(metric, {{"a", 2 - a}, {"b", a}}), 1, 1e-6);  // other numbers, same segments
  EXPECT_EQ(value_of(metric, {{"a", a * 0}, {"b", a * 0}}), 1);
  metric.ignored_ids = 0;
  Tensor half = a.clone();
  half.masked_fill_(b == 0, 2);  // where nothing counts
  EXPECT_NEAR(value_of(metric, {{"a", a}, {"b", b}}), value_of(metric, {{"a", half}, {"b", b}}),
              1e-6);
}

TEST(Weights, AreAskedFor) {
  Tree::Items images = {{"a", at::rand({1, 16, 16, 3})}, {"b", at::rand({1, 16, 16, 3})}};
  EXPECT_THAT(error_of([&] { value_of(LpipsVgg{.pred = "a", .target = "b"}, images); }),
              AllOf(HasSubstr("LpipsVgg"), HasSubstr("weights"), HasSubstr("use Psnr or Ssim"),
                    HasSubstr("docs/losses_metrics.md")));
  EXPECT_THAT(error_of([&] { value_of(contrib::FidWithStats{.pred = "a"}, images); }),
              AllOf(HasSubstr("FidWithStats"), HasSubstr("weights")));
}

}  // namespace
}  // namespace kd::metrics
