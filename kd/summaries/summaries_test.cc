// Summaries: the values that they compute, and what they refuse.
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "kd/metrics/engine/metric.h"
#include "kd/metrics/wrappers.h"
#include "kd/summaries/components.h"
#include "konfig/expect_test.h"

namespace kd::summaries {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tree context(Tensor x) { return Tree::dict({{"x", std::move(x)}}); }

Tensor value_of(const Poly<Metric>& metric, const Tree& batch) { return metric(batch).tensor(); }

using konfig::error_of;

TEST(ShowImages, KeepsTheFirstInOrderOfMerging) {
  Poly<Metric> metric = ShowImages{.images = "x", .num_images = 5};
  metrics::State state = metrics::empty(metric);
  for (double level : {0.0, 1.0}) {
    state = state.merge(metrics::get_state(metric, context(at::full({4, 2, 2, 1}, level))));
  }
  Tensor images = state.finalize().compute().tensor();
  ASSERT_EQ(images.sizes(), (at::IntArrayRef{5, 2, 2, 1}));
  EXPECT_EQ(images.sum().item<double>(), 4);
  EXPECT_EQ(images[4].sum().item<double>(), 4);
}

TEST(ShowImages, RangesAndBytes) {
  Tensor x = at::tensor({-3.0f, -1.0f, 0.0f, 3.0f}).view({1, 2, 2, 1});
  Poly<Metric> metric = ShowImages{.images = "x", .in_vrange = {{-1.0, 1.0}}};
  EXPECT_TRUE(value_of(metric, context(x)).flatten().equal(at::tensor({0.0f, 0.0f, 0.5f, 1.0f})));
  metric = ShowImages{.images = "x"};
  EXPECT_TRUE(value_of(metric, context(at::full({1, 2, 2, 3}, 255, at::kByte)))
                  .equal(at::ones({1, 2, 2, 3})));
}

TEST(ShowImages, ShapesThatAreNoImages) {
  Poly<Metric> metric = ShowImages{.images = "x"};
  EXPECT_THAT(error_of([&] {
                metric(context(at::ones({2, 2})));
              }),
              HasSubstr("their shape is (2, 2)"));
  EXPECT_THAT(error_of([&] {
                metric(context(at::ones({1, 2, 2, 2})));
              }),
              HasSubstr("it is (1, 2, 2, 2)"));
  EXPECT_THAT(error_of([&] {
                metric(context(at::ones({1, 2, 2, 1}, at::kInt)));
              }),
              HasSubstr("floats or uint8; they are int32"));
  metric = ShowImages{.images = "x", .cmap = "gray"};
  EXPECT_THAT(error_of([&] {
                metric(context(at::ones({1, 2, 2, 3})));
              }),
              HasSubstr("ShowImages.cmap"));
  EXPECT_THAT(error_of([&] { metrics::empty(metric).finalize().compute(); }),
              HasSubstr("there was no batch"));
}

TEST(ShowImages, AMetricOfTreesToo) {
  Poly<Metric> metric = metrics::TreeMap{.metric = Poly<Metric>(ShowImages{.images = "x"})};
  Tree images = metric(Tree::dict({{"x", Tree::dict({{"a", at::ones({1, 2, 2, 3})}})}}));
  EXPECT_EQ(images["a"].tensor().size(3), 3);
}

TEST(ShowBoxes, FramesOfOnePixel) {
  Poly<Metric> metric = ShowBoxes{.images = "x", .boxes = "b", .num_colors = 2};
  Tensor boxes = at::tensor({0.0f, 0.0f, 0.5f, 1.0f, 0.5f, 0.5f, 0.4f, 1.0f}).view({1, 2, 4});
  Tree batch = Tree::dict({{"x", at::zeros({1, 5, 4, 3})}, {"b", boxes}});
  Tensor red = value_of(metric, batch).select(3, 0)[0];
  Tensor wanted = at::tensor({1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_TRUE(red.equal(wanted.view({5, 4}).to(at::kFloat))) << red;
}

TEST(ShowBoxes, PartsOutsideAreCutOff) {
  Poly<Metric> metric = ShowBoxes{.images = "x", .boxes = "b"};
  Tensor boxes = at::tensor({-1.0f, -1.0f, 0.5f, 9.0f, 3.0f, 3.0f, 4.0f, 4.0f}).view({1, 2, 4});
  Tree batch = Tree::dict({{"x", at::zeros({1, 3, 3, 1})}, {"b", boxes}});
  Tensor image = value_of(metric, batch).flatten();
  EXPECT_TRUE(image.equal(at::tensor({0.0f, 0.0f, 0.0f, 1.0f, 1.0f, 1.0f, 0.0f, 0.0f, 0.0f})))
      << image;
}

TEST(ShowSegmentations, PaletteAndMistakes) {
  Poly<Metric> metric =
      ShowSegmentations{.segmentations = "x", .hard = true, .palette = {{{1, 0, 0}, {0, 1, 0}}}};
  Tensor segments = at::tensor({0, 1}, at::kInt).view({1, 1, 2, 1});
  Tensor colors = value_of(metric, context(segments));
  EXPECT_EQ(colors.scalar_type(), at::kDouble);
  EXPECT_TRUE(colors.flatten().equal(at::tensor({1., 0., 0., 0., 1., 0.}, at::kDouble)));
  EXPECT_THAT(error_of([&] { metric(context(segments + 1)); }),
              HasSubstr("segment 2 has no colour"));
  EXPECT_THAT(error_of([&] {
                metric(context(at::ones({1, 2, 2, 3})));
              }),
              HasSubstr("palette has 2 colours for 3 segments"));
  EXPECT_THAT(error_of([&] {
                metric(context(at::ones({1, 2, 2, 1})));
              }),
              HasSubstr("they are float32(1, 2, 2, 1)"));
}

TEST(Histogram, AllValues) {
  Poly<Metric> metric = HistogramSummary{.tensor = "x", .num_buckets = 7};
  Tree value = metric(context(at::ones({2, 3})));
  EXPECT_EQ(value.type(), "Histogram");
  EXPECT_EQ(value["tensor"].tensor().numel(), 6);
  EXPECT_EQ(value["num_buckets"].tensor().item<int>(), 7);
  EXPECT_THAT(error_of([&] { metric(context(at::ones({0}))); }), HasSubstr("there are no values"));
}

TEST(PointCloud, ColoursAreOptional) {
  Poly<Metric> metric = ShowPointCloud{.point_clouds = "x", .rearrange = "b n d -> (b n) d"};
  Tree value = metric(context(at::ones({2, 4, 3})));
  EXPECT_EQ(value.type(), "PointCloud");
  EXPECT_EQ(value["point_clouds"].tensor().size(0), 8);
  EXPECT_TRUE(value["point_colors"].is_none());
  EXPECT_EQ(value["configs"]["camera"]["near"].tensor().item<double>(), 1e-4);
  EXPECT_THAT(error_of([&] { metric(context(at::ones({2, 4, 2}))); }), HasSubstr("it is (8, 2)"));
}

TEST(ShowTexts, FirstOfAll) {
  Poly<Metric> metric = ShowTexts{.texts = "t", .num_texts = 3};
  auto batch = [](Tree::Texts texts) { return Tree::dict({{"t", Tree(std::move(texts))}}); };
  Tree first = batch({"a", "b"}), second = batch({"c", "d"});
  metrics::State state =
      metrics::get_state(metric, first).merge(metrics::get_state(metric, second));
  EXPECT_THAT(state.finalize().compute().texts(), ElementsAre("a", "b", "c"));
  EXPECT_THAT(error_of([&] {
                metric(Tree::dict({{"t", at::ones({2})}}));
              }),
              HasSubstr("expected texts, found tensor"));
}

TEST(ConfusionMatrix, WeightsAndStrangeLabels) {
  Poly<Metric> metric =
      contrib::ConfusionMatrix{.logits = "x", .labels = "y", .sample_weight = "w"};
  Tree batch = Tree::dict({{"x", at::tensor({1.f, 0.f, 0.f, 1.f, 1.f, 0.f}).view({3, 2})},
                           {"y", at::tensor({0, 0, 7}, at::kInt).view({3, 1})},
                           {"w", at::tensor({0.5f, 2.f, 1.f}).view({3, 1})}});
  EXPECT_THAT(metric(batch).texts(), ElementsAre("array([[0.5, 2. ],\n       [0. , 0. ]])"));
}

TEST(ImageGrid, ColumnsUnderNames) {
  Poly<Metric> metric = contrib::ImageGrid{
      .columns = {{"a", ShowImages{.images = "x"}}, {"b", ShowImages{.images = "y"}}},
      .border_width = 1,
      .bg_color = std::array<int, 3>{0, 0, 255},
      .font_size = 8};
  EXPECT_THAT(metrics::keypaths(metric).at("b_images").as<std::string>(), "y");
  Tree batch = Tree::dict({{"x", at::zeros({2, 6, 6, 3})}, {"y", at::ones({2, 6, 6, 1})}});
  Tensor grid = value_of(metric, batch);
  ASSERT_EQ(grid.sizes(), (at::IntArrayRef{1, 4 + 12 + 9, 3 + 12, 3}));
  EXPECT_EQ(grid[0][11][1].sum().item<double>(), 0);                         // a
  EXPECT_EQ(grid[0][11][8].sum().item<double>(), 3);                         // b
  EXPECT_EQ(grid[0][17][1][2].item<double>(), 1);                            // border
  EXPECT_GT(grid[0].narrow(0, 0, 10).select(2, 0).sum().item<double>(), 0);  // names
  batch["y"] = at::ones({2, 6, 5, 1});
  EXPECT_THAT(error_of([&] { metric(batch); }), HasSubstr("have one size"));
}

TEST(ImageGrid, Colours) {
  auto background = [](contrib::Color color) {
    Poly<Metric> metric =
        contrib::ImageGrid{.columns = {{"a", ShowImages{.images = "x"}}}, .bg_color = color};
    Tensor corner = (value_of(metric, context(at::ones({1, 20, 20, 1})))[0][0][0] * 255).round();
    return std::vector<int>{corner[0].item<int>(), corner[1].item<int>(), corner[2].item<int>()};
  };
  EXPECT_THAT(background("#102030"), ElementsAre(16, 32, 48));
  EXPECT_THAT(background("#abc"), ElementsAre(0xaa, 0xbb, 0xcc));
  EXPECT_THAT(background("orange"), ElementsAre(255, 165, 0));
  EXPECT_THAT(background(0.5), ElementsAre(127, 127, 127));
  EXPECT_THAT(background(std::array<double, 3>{0, 0.5, 1}), ElementsAre(0, 127, 255));
  EXPECT_THAT(error_of([&] { background("#12345"); }), HasSubstr("'#12345' is no colour"));
  EXPECT_THAT(error_of([&] { background(1.5); }), HasSubstr("is no colour"));
}

TEST(Print, HasNoValue) {
  Poly<Metric> metric = contrib::Print{.value = "x", .first_n = 2};
  testing::internal::CaptureStderr();
  EXPECT_TRUE(metric(context(at::arange(5))).is_none());
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "x: [0 1]\n");
}

TEST(ShowVideos, Bytes) {
  Poly<Metric> metric = contrib::ShowVideosAsGif{.videos = "x", .in_vrange = {{-1.0, 1.0}}};
  Tensor videos = value_of(metric, context(at::zeros({6, 2, 3, 3, 1})));
  EXPECT_EQ(videos.sizes(), (at::IntArrayRef{4, 2, 3, 3, 3}));
  EXPECT_EQ(videos.scalar_type(), at::kByte);
  EXPECT_EQ(videos[0][0][0][0][0].item<int>(), 127);
}

TEST(ShowVideos, OtherFormatsAreRefused) {
  Poly<Metric> metric = contrib::ShowVideosAsGif{.videos = "x", .save_format = "WEBP"};
  EXPECT_THAT(konfig::error_of([&] {
                metric(context(at::zeros({6, 2, 3, 3, 1})));
              }),
              testing::HasSubstr("ShowVideosAsGif.save_format: expected 'GIF', got 'WEBP'"));
}

}  // namespace
}  // namespace kd::summaries
