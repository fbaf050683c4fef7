// The further metrics. Numbers of point tracks and depths are those of the reference.
#include "kd/metrics/contrib/contrib.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kd/metrics/contrib/video.h"
#include "kd/metrics/engine/contrib_states.h"
#include "kd/metrics/tools_test.h"

namespace kd::metrics::contrib {
namespace {

using ::testing::HasSubstr;

// sin(0), sin(k), sin(2 k), ...
Tensor wave(at::IntArrayRef shape, double k = 1) {
  return (at::arange(c10::multiply_integers(shape), at::kDouble) * k)
      .sin()
      .to(at::kFloat)
      .view(shape);
}

TEST(Rmse, KnownValues) {
  Tensor p = at::tensor({0.f, 1.f, 0.f, 0.f}).view({2, 2}),
         t = at::tensor({1.f, 1.f, 0.f, 0.f}).view({2, 2});
  auto rmse = [](RmseMode mode, const Tensor& a, const Tensor& b) {
    return value_of(RootMeanSquaredError{.preds = "a", .targets = "b", .rmse_mode = mode},
                    {{"a", a}, {"b", b}});
  };
  EXPECT_EQ(rmse(RmseMode::average_all, p, t), 0.5);
  EXPECT_NEAR(rmse(RmseMode::trad, p, t), std::sqrt(0.5), 1e-6);
  EXPECT_EQ(rmse(RmseMode::per_sample_sqrt, p, t), 0.5);
  EXPECT_TRUE(std::isnan(number(empty(Poly<Metric>(RootMeanSquaredError{})).finalize().compute())));
}

TEST(Depth, KnownValues) {
  Tensor p = wave({3, 4}) + 1.5, t = wave({3, 4}, 1.3) + 1.5,
         m = (wave({3, 4}, .7) > 0).to(at::kFloat);
  Tree::Items items = {{"p", p}, {"t", t}, {"m", m}};
  EXPECT_NEAR(value_of(MeanAbsoluteRelativeError{.preds = "p", .targets = "t"}, items), 0.704001,
              1e-6);
  EXPECT_NEAR(
      value_of(MeanAbsoluteRelativeError{.preds = "p", .targets = "t", .mask = "m", .epsilon = .1},
               items),
      0.5665052, 1e-6);
  EXPECT_NEAR(value_of(Delta1{.preds = "p", .targets = "t"}, items), 0.4166667, 1e-6);
}

TEST(MeanCov, MergingEqualsOneBatch) {
  Tensor x = at::randn({20, 3}, at::kDouble) * 3 + 100;
  Tensor w = at::randint(1, 4, {20}, at::kInt);
  for (int ddof : {0, 1}) {
    auto part = [&](int from, int n) {
      return MeanCov::from_samples(x.narrow(0, from, n), w.narrow(0, from, n), ddof);
    };
    auto [mean, cov] = MeanCov::from_samples(x, w, ddof).mean_and_cov();
    MeanCov a = part(0, 1), b = part(1, 12), c = part(13, 7);
    for (const MeanCov& merged : {a.merge(b).merge(c), a.merge(b.merge(c)), c.merge(a).merge(b),
                                  MeanCov().merge(a).merge(b).merge(MeanCov()).merge(c)}) {
      auto [m, s] = merged.mean_and_cov();
      EXPECT_LT((m - mean).abs().max().item().toDouble(), 1e-9);
      EXPECT_LT((s - cov).abs().max().item().toDouble(), 1e-9);
    }
  }
  Tree none = MeanCov().compute();
  EXPECT_TRUE(none["mean"].is_none());
  EXPECT_THAT(error_of([] { MeanCov::from_samples(at::ones({3})); }), HasSubstr("(b, n)"));
  EXPECT_NE(
      error_of([&] { MeanCov::from_samples(x, {}, 0).merge(MeanCov::from_samples(x, {}, 1)); }),
      "");
  EXPECT_NE(
      error_of([&] { MeanCov::from_samples(x).merge(MeanCov::from_samples(x.narrow(1, 0, 2))); }),
      "");
}

struct TapCase {
  AxisOrder order;
  QueryMode mode;
  std::string input;
  double occlusion, position, jaccard;
};

TEST(Tap, NumbersOfTheReference) {
  using enum AxisOrder;
  using enum QueryMode;
  Tensor tracks = wave({2, 3, 4, 2});
  auto above = [](const Tensor& x, double limit) { return (x > limit).to(at::kFloat); };
  Tree::Items items = {{"tracks", tracks},
                       {"right", tracks + 0.05 * wave({2, 3, 4, 2}, 2.3)},
                       {"said", above(wave({2, 3, 4, 1}, 1.7), 0)},
                       {"seen", above(wave({2, 3, 4, 1}, 0.9), -0.3)},
                       {"evaluation_mask", above(wave({2, 3, 4}, 0.4), -0.5)}};
  Tensor frames = at::tensor({1.f, 0.f, 2.f, 1.f, 0.f, 2.f, 1.f, 1.f}).view({2, 4});
  Tensor weights = at::tensor({1.f, .5f, 1.f, 0.f, 1.f, 1.f, 0.f, 1.f}).view({2, 4});
  for (auto& c :
       std::vector<TapCase>{{BQTC, first, "", 0.4444444, 0.1833333, 0.0535714},
                            {BQTC, first, "query_frame", 0.4166667, 0.1750000, 0.0166667},
                            {BQTC, first, "query_mask", 0.4833333, 0.2, 0.0726191},
                            {BQTC, strided, "query_frame", 0.4444444, 0.1833333, 0.0472222},
                            {BQTC, strided, "evaluation_mask", 0.4222222, 0.1833333, 0.0513131},
                            {BTQC, first, "", 0.4375, 0.155, 0.0410714},
                            {BTQC, first, "query_frame", 0.625, 0.1666667, 0.07},
                            {BTQC, strided, "query_frame", 0.5, 0.1833333, 0.0535714},
                            {BTQC, strided, "query_mask", 0.4166667, 0.115, 0.0342857},
                            {BTQC, first, "evaluation_mask", 0.4222222, 0.1833333, 0.0513131}}) {
    SCOPED_TRACE(c.input);
    std::int64_t queries = c.order == BQTC ? 3 : 4;
    Tree context = Tree::dict(items);
    context["query_frame"] = frames.narrow(1, 0, queries);
    context["query_mask"] = weights.narrow(1, 0, queries);
    auto with = [&](auto metric) {
      metric.query_mode = c.mode, metric.axis_order = c.order, metric.gt_visible = "seen";
      if (c.input == "query_frame") metric.query_frame = c.input;
      if (c.input == "query_mask") metric.query_mask = c.input;
      if (c.input == "evaluation_mask") metric.evaluation_mask = c.input;
      return number(Poly<Metric>(metric)(context));
    };
    EXPECT_NEAR(with(TapOcclusionAccuracy{.pred_visible = "said"}), c.occlusion, 1e-6);
    EXPECT_NEAR(with(TapPositionAccuracy{.pred_tracks = "tracks", .gt_tracks = "right"}),
                c.position, 1e-6);
    EXPECT_NEAR(with(TapAverageJaccard{
                    .pred_tracks = "tracks", .pred_visible = "said", .gt_tracks = "right"}),
                c.jaccard, 1e-6);
  }
}

// An example of which nothing counts fills a batch up.
TEST(Tap, PaddedExamplesAreLeftOut) {
  auto one = [](std::vector<float> values) { return at::tensor(values).view({2, 3, 1, 1}); };
  Tree context = Tree::dict({{"said", one({1, 0, 1, 0, 0, 0})},
                             {"seen", one({1, 1, 1, 1, 1, 1})},
                             {"tracks", at::zeros({2, 3, 1, 2})},
                             {"right", at::zeros({2, 3, 1, 2})},
                             {"mask", one({1, 1, 0, 0, 0, 0}).squeeze(-1)}});
  auto with = [&](auto metric) {
    metric.axis_order = AxisOrder::BTQC, metric.gt_visible = "seen";
    metric.evaluation_mask = "mask";
    return number(Poly<Metric>(metric)(context));
  };
  const TapPositionAccuracy position{.pred_tracks = "tracks", .gt_tracks = "right"};
  const TapAverageJaccard jaccard{
      .pred_tracks = "tracks", .pred_visible = "said", .gt_tracks = "right"};
  EXPECT_NEAR(with(TapOcclusionAccuracy{.pred_visible = "said"}), 0.5, 1e-6);
  EXPECT_NEAR(with(position), 1, 1e-6);
  EXPECT_NEAR(with(jaccard), 0.5, 1e-6);
  context["mask"] = at::zeros({2, 3, 1});
  EXPECT_EQ(with(position), 0);
}

TEST(Tap3D, NumbersOfTheReference) {
  Tensor right = wave({2, 3, 4, 3}) * 0.5 + at::tensor({0.f, 0.f, 2.f});
  auto above = [](const Tensor& x, double limit) { return (x > limit).to(at::kFloat); };
  Tensor camera = at::tensor({200.f, 210.f, 128.f, 128.f, 180.f, 190.f, 120.f, 130.f}).view({2, 4});
  Tensor places = (wave({2, 3, 4, 2}, 1.1) * 0.5 + 0.5) * 15;
  Tree context = Tree::dict({{"right", right},
                             {"tracks", right * 1.3 + 0.02 * wave({2, 3, 4, 3}, 2.3)},
                             {"said", above(wave({2, 3, 4, 1}, 1.7), -0.6)},
                             {"seen", above(wave({2, 3, 4, 1}, 0.9), -0.3)},
                             {"mask", above(wave({2, 3, 4}, 0.4), -0.5)},
                             {"camera", camera},
                             {"small_camera", camera / 256},
                             {"places", places},
                             {"far_places", places * 8},
                             {"dense", 2 + 0.3 * wave({2, 3, 16, 16, 1}, 0.37)},
                             {"sparse", 2 + 0.3 * wave({2, 3, 4, 1}, 0.37)}});
  auto expect = [&](double position, double jaccard, auto change) {
    auto with = [&](auto metric) {
      metric.pred_tracks = "tracks", metric.pred_visible = "said", metric.gt_tracks = "right";
      metric.gt_visible = "seen", metric.intrinsics = "camera";
      change(metric);
      return number(Poly<Metric>(metric)(context));
    };
    EXPECT_NEAR(with(Tap3DPositionAccuracy{}), position, 1e-6);
    EXPECT_NEAR(with(Tap3DAverageJaccard{}), jaccard, 1e-6);
  };
  expect(0.7, 0.3058333, [](auto&) {});
  expect(0.7, 0.3058333, [](auto& m) { m.query_mode = QueryMode::first; });
  expect(0.73, 0.3171429, [](auto& m) { m.axis_order = AxisOrder::BTQC; });
  expect(0.7261905, 0.4342172, [](auto& m) { m.evaluation_mask = "mask"; });
  expect(0.8, 0.35, [](auto& m) { m.use_fixed_metric_threshold = true; });
  expect(0.7, 0.3058333,
         [](auto& m) { m.use_normalized_coordinates = true, m.intrinsics = "small_camera"; });
  auto offline = [](auto& m) {
    m.axis_order = AxisOrder::BTQC, m.use_offline_depth_predictions = true;
    m.thresholds = {16, 64, 256};
  };
  expect(0.25, 0.1160714, [&](auto& m) {
    offline(m), m.offline_depth_predictions = "dense", m.pred_tracks_2d = "places";
  });
  expect(0.3666667, 0.1595238, [&](auto& m) {
    offline(m), m.offline_depth_predictions = "sparse", m.gt_tracks_2d = "far_places";
    m.use_gt_tracks_for_indexing_into_offline_depth_predictions = true;
  });
  // Every point with the right depth: nothing is left of a wrong scale.
  context["tracks"] = right * (1.5 + 0.5 * wave({2, 3, 4, 1}));
  Tap3DPositionAccuracy scaled{.pred_tracks = "tracks",
                               .pred_visible = "said",
                               .gt_tracks = "right",
                               .gt_visible = "seen",
                               .intrinsics = "camera",
                               .depth_scaling = DepthScaling::reproduce_2d,
                               .thresholds = {0.01}};
  EXPECT_NEAR(number(Poly<Metric>(scaled)(context)), 1, 1e-6);
  EXPECT_THAT(error_of([&] {
                expect(0, 0, [&](auto& m) { offline(m), m.offline_depth_predictions = "dense"; });
              }),
              HasSubstr("pred_tracks_2d"));
  EXPECT_THAT(error_of([&] {
                expect(0, 0,
                       [&](auto& m) { m.use_fixed_metric_threshold = true, m.thresholds = {3}; });
              }),
              HasSubstr("thresholds"));
}

TEST(SegmentationJaccard, NumbersOfTheReference) {
  SegmentationJaccard metric{.features = "features",
                             .gt_segmentations = "right",
                             .patch_size = {8, 8},
                             .n_max_class = 4,
                             .resolution = {24, 32}};
  Tensor features = wave({1, 5, 12, 6}, 0.9) + 0.2 * wave({1, 5, 12, 6}, 2.2);
  Tensor right = ((wave({1, 5, 24, 40}, 0.05) * 0.5 + 0.5) * 2.999).floor();
  auto value = [&](const Tensor& f, const Tensor& r) {
    return number(Poly<Metric>(metric)(Tree::dict({{"features", f}, {"right", r}})));
  };
  EXPECT_NEAR(value(features, right), 0.1737325, 1e-5);
  EXPECT_NEAR(value(features.repeat({2, 1, 1, 1}), right.repeat({2, 1, 1, 1})), 0.1737325, 1e-5);
  EXPECT_THAT(error_of([&] { value(features.narrow(2, 0, 9), right); }), HasSubstr("9 patches"));
  EXPECT_THAT(error_of([&] { value(features.narrow(1, 0, 2), right.narrow(1, 0, 2)); }),
              HasSubstr("3 frames"));
}

// A rotation about the third axis with a translation, as (1, 1, 3, 4).
Tensor pose(double degrees, std::initializer_list<double> translation) {
  double a = degrees * std::numbers::pi / 180;
  Tensor out = at::zeros({1, 1, 3, 4}, at::kDouble);
  Tensor m = out[0][0];
  m[0][0] = std::cos(a), m[0][1] = -std::sin(a), m[1][0] = std::sin(a), m[1][1] = std::cos(a);
  m[2][2] = 1;
  int row = 0;
  for (double t : translation) m[row++][3] = t;
  return out;
}

// The same as (x, y, z, w, translation), not of unit length.
Tensor quaternion(double degrees, std::initializer_list<double> t) {
  double a = degrees * std::numbers::pi / 360;
  std::vector<double> q = {0, 0, 2 * std::sin(a), 2 * std::cos(a)};
  q.insert(q.end(), t.begin(), t.end());
  return at::tensor(q).view({1, 1, 7, 1});
}

TEST(Pose, AnglesAndDistances) {
  Tree::Items items = {{"p", pose(50, {0, 2, 0})},
                       {"t", pose(20, {3, 0, 0})},
                       {"pq", quaternion(50, {0, 2, 0})},
                       {"tq", quaternion(20, {3, 0, 0})}};
  RelativeRotationError rotation{.preds = "p", .targets = "t", .mode = AngleMode::mean};
  EXPECT_NEAR(value_of(rotation, items), 30, 1e-5);
  RelativeRotationError quaternions{
      .preds = "pq", .targets = "tq", .mode = AngleMode::mean, .rotation_as_quaternion = true};
  EXPECT_NEAR(value_of(quaternions, items), 30, 1e-5);
  EXPECT_EQ(value_of(RelativeRotationError{.preds = "p", .targets = "t"}, items), 0);
  EXPECT_EQ(
      value_of(RelativeRotationError{.preds = "p", .targets = "t", .threshold_degs = 31}, items),
      1);
  RelativeTranslationError translation{.preds = "p", .targets = "t", .mode = AngleMode::mean};
  EXPECT_NEAR(value_of(translation, items), 90, 1e-5);
  translation.mode = AngleMode::similarity;
  EXPECT_NEAR(value_of(translation, items), 0, 1e-6);
  Tree::Items shifted = {{"p", pose(0, {0, 0, 0})}, {"t", pose(0, {3, 4, 0})}};
  EXPECT_NEAR(value_of(PoseEndPointError{.preds = "p", .targets = "t"}, shifted), 5, 1e-6);
  EXPECT_NE(error_of([&] {
              value_of(rotation, {{"p", at::ones({1, 1, 2, 2})}, {"t", at::ones({1, 1, 2, 2})}});
            }),
            "");
}

TEST(Pose, MeanAverageAccuracy) {
  PoseMeanAverageAccuracy metric{.preds = "p", .targets = "t", .threshold = 30};
  auto at_angle = [&](double degrees) {
    return value_of(metric, {{"p", pose(degrees, {1, 0, 0})}, {"t", pose(0, {1, 0, 0})}});
  };
  EXPECT_NEAR(at_angle(0), 1, 1e-6);
  EXPECT_NEAR(at_angle(45), 0, 1e-6);
  EXPECT_NEAR(at_angle(15.1), 16. / 31, 1e-6);  // 15 bins of 30/31 degrees end before it
}

}  // namespace
}  // namespace kd::metrics::contrib
