#include "kd/summaries/engine/colormap.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kd/metrics/engine/metric.h"
#include "kd/summaries/depth_metric.h"
#include "konfig/error.h"

namespace kd::summaries {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

auto near(double r, double g, double b) {
  return ElementsAre(DoubleNear(r, 1e-6), DoubleNear(g, 1e-6), DoubleNear(b, 1e-6));
}

Rgb color(const Tensor& colors, int i) {
  Tensor one = colors.reshape({-1, 3})[i];
  return {one[0].item<double>(), one[1].item<double>(), one[2].item<double>()};
}

TEST(Colormap, Tables) {
  EXPECT_THAT(colormap("viridis")[0], near(0.267004, 0.004874, 0.329415));
  EXPECT_THAT(colormap("viridis")[255], near(0.993248, 0.906157, 0.143936));
  EXPECT_THAT(colormap("turbo")[128], near(0.64362, 0.98999, 0.23356));
  EXPECT_THAT(colormap("gray")[51], near(0.2, 0.2, 0.2));
  EXPECT_THAT(colormap("coolwarm")[0], near(0.2298057, 0.298717966, 0.753683153));
  EXPECT_THAT(colormap("jet")[255], near(0.5, 0, 0));
  EXPECT_THAT(colormap("bwr_r")[0], near(1, 0, 0));
}

TEST(Colormap, EveryMapStaysWithinBounds) {
  for (auto& name : colormap_names()) {
    for (const Rgb& rgb : colormap(name)) {
      for (double level : rgb) {
        ASSERT_GE(level, 0) << name;
        ASSERT_LE(level, 1) << name;
      }
    }
  }
}

TEST(Colormap, AnUnknownOneIsAnErrorWithTheNearestName) {
  try {
    colormap("viridus");
    FAIL();
  } catch (const konfig::Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("there is no colour map 'viridus'; did you mean 'viridis'?"));
  }
}

TEST(RGBMeanAbsoluteRelativeError, NumbersOfTheReference) {
  auto wave = [](double k) {
    return (at::arange(96, at::kDouble) * k).sin().to(at::kFloat).view({1, 2, 4, 4, 3}) * 0.5 + 0.5;
  };
  Poly<Metric> metric =
      metrics::contrib::RGBMeanAbsoluteRelativeError{.pred = "said", .target = "right"};
  auto value = [&](const Tensor& said, const Tensor& right) {
    return metric(Tree::dict({{"said", said}, {"right", right}})).tensor().item<double>();
  };
  EXPECT_NEAR(value(wave(1), wave(0.3)), 1235.52685546875, 1e-2);
  // The colours of 0 and 8 metres, and of 4.
  Tensor half = to_rgb(at::tensor({4.0}), "viridis", {{0, 8}}).to(at::kFloat).view({1, 1, 1, 1, 3});
  Tensor far = to_rgb(at::tensor({8.0}), "viridis", {{0, 8}}).to(at::kFloat).view({1, 1, 1, 1, 3});
  EXPECT_NEAR(value(half, half), 0, 1e-6);
  EXPECT_NEAR(value(half, far), 0.5, 1.0 / 255);
}

TEST(Colormap, RangesOfNumbers) {
  double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  Tensor colors = to_rgb(at::tensor({-1.0, 1.0, 3.0}).view({1, 3}), "gray");
  EXPECT_EQ(colors.sizes(), (at::IntArrayRef{1, 3, 3}));
  EXPECT_THAT(color(colors, 0), near(0, 0, 0));
  EXPECT_THAT(color(colors, 1), near(128 / 255.0, 128 / 255.0, 128 / 255.0));
  EXPECT_THAT(color(colors, 2), near(1, 1, 1));
  colors = to_rgb(at::tensor({-5.0, 0.5, 7.0, nan, inf, -inf}), "jet", {{0.0, 1.0}});
  EXPECT_THAT(color(colors, 0), near(0, 0, 0.5));
  EXPECT_THAT(color(colors, 2), near(0.5, 0, 0));
  EXPECT_THAT(color(colors, 3), near(0, 0, 0));
  EXPECT_THAT(color(colors, 4), near(0.5, 0, 0));
  EXPECT_THAT(color(colors, 5), near(0, 0, 0.5));
}

}  // namespace
}  // namespace kd::summaries
