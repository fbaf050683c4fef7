// Transforms of contrib: results of the reference for small inputs.
#include <ATen/ops/allclose.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "kd/data/engine/records.h"
#include "kd/data/engine/stream.h"
#include "kd/data/engine/transform.h"
#include "kd/data/transforms/transforms_clips.h"
#include "kd/data/transforms/transforms_frames.h"
#include "kd/data/transforms/transforms_names.h"
#include "kd/data/transforms/transforms_shapes.h"
#include "konfig/expect_test.h"
#include "konfig/json.h"
#include "konfig/load.h"
#include "konfig/resolve.h"

namespace kd::data::contrib {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Numbers = std::vector<float>;
using Numbers2 = std::vector<double>;

// 0, 1, 2, ...
Tensor count(std::vector<std::int64_t> shape) {
  std::int64_t n = 1;
  for (std::int64_t size : shape) n *= size;
  return at::arange(n, at::kFloat).reshape(shape);
}
Numbers numbers(const Tensor& x) {
  const Tensor flat = x.to(at::kFloat).contiguous();
  return {flat.const_data_ptr<float>(), flat.const_data_ptr<float>() + flat.numel()};
}
std::vector<std::int64_t> shape(const Tensor& x) { return x.sizes().vec(); }

using konfig::error_of;

TEST(Contrib, BothNamesLoad) {
  for (const char* module : {"kauldron.contrib.data:", "kauldron.kd:contrib.data."}) {
    const auto loaded = konfig::load<Poly<Transform>>(konfig::resolve(konfig::parse_json(
        R"({"__qualname__": ")" + std::string(module) +
        R"(TemporalRandomWindow", "key": "x", "length": 3, "frame_rate": "random"})")));
    EXPECT_EQ(bind(loaded).name, "kd::data::contrib::TemporalRandomWindow");
  }
}

TEST(Contrib, StandardizeAndApplyW) {
  const Standardize standardize{.key = "x", .mean = Numbers2{1, 2}, .std = Numbers2{2, 4}};
  EXPECT_THAT(numbers(standardize.map_element(count({2, 2}))), ElementsAre(-0.5, -0.25, 0.5, 0.25));
  const ApplyW apply{.key = "x", .w = std::vector<Numbers2>{{1, 2}, {3, 5}}};
  EXPECT_THAT(numbers(apply.map_element(count({2, 2}))), ElementsAre(2, 5, 8, 21));
  EXPECT_THAT(error_of([&] { apply.map_element(count({3})); }), HasSubstr("w: 2 columns"));
}

TEST(Contrib, RepeatAndResize) {
  const Repeat repeat{.key = "x", .pattern = "h w -> h t w", .axes_lengths = {{"t", 2}}};
  EXPECT_THAT(numbers(repeat.map_element(count({2, 2}))), ElementsAre(0, 1, 0, 1, 2, 3, 2, 3));
  const JaxImageResize resize{.key = "x", .shape = std::vector<std::int64_t>{1, 2, 1}};
  EXPECT_THAT(numbers(resize.map_element(count({2, 2, 1}))), ElementsAre(1, 2));
  EXPECT_THAT(error_of([&] { resize.map_element(count({2, 2, 3})); }), HasSubstr("shape: "));
}

TEST(Contrib, Borders) {
  const Tensor image = count({2, 2, 1});
  auto padded = [&](const char* mode) {
    return numbers(PadImage{.key = "x", .pad = 1, .mode = mode}.map_element(image));
  };
  EXPECT_THAT(padded("CONSTANT"), ElementsAre(0, 0, 0, 0, 0, 0, 1, 0, 0, 2, 3, 0, 0, 0, 0, 0));
  EXPECT_THAT(padded("REFLECT"), ElementsAre(3, 2, 3, 2, 1, 0, 1, 0, 3, 2, 3, 2, 1, 0, 1, 0));
  EXPECT_THAT(padded("SYMMETRIC"), ElementsAre(0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3));
  EXPECT_THAT(error_of([&] { padded("EDGE"); }), HasSubstr("mode: 'EDGE' is unknown"));
  const Tensor edge = PadImageEdgeVal{.key = "x", .pad = 2}.map_element(image);
  EXPECT_THAT(numbers(edge.select(0, 1)), ElementsAre(0, 0, 0, 1, 1, 1));
  EXPECT_THAT(numbers(edge.select(1, 5)), ElementsAre(1, 1, 1, 3, 3, 3));
  const PadAxisToFixedSize fill{.key = "x", .size = 3, .axis = 1};
  EXPECT_THAT(numbers(fill.map_element(count({2, 2}))), ElementsAre(0, 1, -1, 2, 3, -1));
  EXPECT_THAT(error_of([&] { fill.map_element(count({1, 4})); }), HasSubstr("4 entries already"));
}

TEST(Contrib, StacksAndShapes) {
  const Tensor two = count({2, 2, 1, 1});
  EXPECT_THAT(numbers(HStack{.key = "x"}.map_element(two)), ElementsAre(0, 2, 1, 3));
  EXPECT_EQ(shape(VStack{.key = "x"}.map_element(two)), (std::vector<std::int64_t>{4, 1, 1}));
  EXPECT_THAT(numbers(FetchElementZero{.key = "x"}.map_element(count({2, 2}))), ElementsAre(0, 1));
  EXPECT_EQ(shape(ReshapeSpatialDim{.key = "x", .h = 2, .w = 3}.map_element(count({4, 6}))),
            (std::vector<std::int64_t>{4, 2, 3}));
  const RandomSubsetAlongAxis subset{.key = "x", .num_to_keep = 2, .axis = 0};
  std::set<Numbers> seen;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Generator rng({seed, 0});
    seen.insert(numbers(subset.random_map_element(count({4}), rng)));
  }
  EXPECT_EQ(seen.size(), 12u);  // all ordered pairs of four
}

TEST(Contrib, MasksAndNames) {
  const Tree record = Tree::dict({{"x", at::tensor(Numbers{0, 5, 2, 3})}});
  const Tree range = CreateRangeMask{.key = "x", .min_value = 1, .max_value = 3}.map(record);
  EXPECT_THAT(numbers(range["x_mask"].tensor()), ElementsAre(0, 0, 1, 1));
  const Tree equal = CreateNonEqualMask{.key = "x", .target_key = "t", .mask_value = 5}.map(record);
  EXPECT_THAT(numbers(equal["t_mask"].tensor()), ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(error_of([&] { CreateNonEqualMask{.key = "xx", .mask_value = 5}.map(record); }),
              HasSubstr("there is no element 'xx'"));
  const Tree named = AddStringField{.key = "s", .value = "hi"}.map(record);
  EXPECT_THAT(named["s"].texts(), ElementsAre("hi"));
  EXPECT_THAT(error_of([&] { AddStringField{.key = "x", .value = "hi"}.map(record); }),
              HasSubstr("there is an element 'x' already"));
  const Tree flat = Tree::dict({{"a_b_c", count({1})}, {"a_d", count({2})}, {"e", count({3})}});
  const Tree nested = TreeUnflattenForKey{.key = "a"}.map(flat);
  EXPECT_EQ(nested["a"]["b"]["c"].tensor().numel(), 1);
  EXPECT_EQ(nested["a"]["d"].tensor().numel(), 2);
  EXPECT_EQ(nested.size(), 2u);
  EXPECT_EQ(TreeUnflattenForKey{.key = "q"}.map(flat).size(), 3u);
}

TEST(Contrib, VideosAsTokens) {
  const Tensor video = count({4, 2, 1, 2});
  EXPECT_EQ(shape(FlattenVideo{.key = "x"}.map_element(video)), (std::vector<std::int64_t>{8, 2}));
  EXPECT_EQ(shape(TimeChunkedFlattenVideo{.key = "x", .time_chunk_size = 2}.map_element(video)),
            (std::vector<std::int64_t>{2, 4, 2}));
  const SpacetimeToDepth depth{.key = "x", .space2depth_factor = 2, .time2depth_factor = 2};
  EXPECT_THAT(numbers(depth.map_element(count({2, 2, 4, 1}))),
              ElementsAre(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15));
  const VideoMAENormalization normalize{.key = "x", .patch_size = {1, 2, 2}};
  const Tensor normal = normalize.map_element(count({1, 2, 4, 2}));
  EXPECT_EQ(shape(normal), (std::vector<std::int64_t>{1, 2, 4, 2}));
  const Numbers row = numbers(normal.select(1, 0));
  const Numbers wanted = {-1.21267784f, -1.21267784f, -0.72760671f, -0.72760671f,
                          -1.21267784f, -1.21267784f, -0.72760671f, -0.72760671f};
  EXPECT_THAT(row, ::testing::Pointwise(::testing::FloatNear(1e-6f), wanted));
}

TEST(Contrib, FramesOfVideos) {
  auto repeated = [](std::int64_t n, int by) {
    return numbers(RepeatFrames{.key = "x", .divisible_by = by}.map_element(count({n})));
  };
  EXPECT_THAT(repeated(11, 5), ElementsAre(0, 1, 1, 2, 3, 4, 4, 5, 6, 6, 7, 8, 9, 9, 10));
  EXPECT_THAT(repeated(3, 8), ElementsAre(0, 0, 0, 1, 1, 2, 2, 2));
  EXPECT_THAT(repeated(2, 5), ElementsAre(0, 0, 1, 1, 1));
  const ExtractInitialFixedLengthClip first{.key = "x", .num_frames = 2};
  EXPECT_THAT(numbers(first.map_element(count({3}))), ElementsAre(0, 1));
  EXPECT_THAT(error_of([&] { first.map_element(count({1})); }), HasSubstr("num_frames: 2 of 1"));
  EXPECT_THAT(numbers(SliceWithStride{.key = "x", .stride = 2}.map_element(count({5}))),
              ElementsAre(0, 2, 4));
  EXPECT_THAT(
      numbers(SliceWithStride{.key = "x", .stride = 2, .num_elements = 2}.map_element(count({5}))),
      ElementsAre(0, 2));
  const ThreeSpatialCrop crop{.key = "x", .shape = 2};
  EXPECT_THAT(numbers(crop.map_element(count({1, 2, 5, 1}))),
              ElementsAre(0, 1, 5, 6, 2, 3, 7, 8, 3, 4, 8, 9));
  EXPECT_THAT(numbers(crop.map_element(count({1, 5, 2, 1}))),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 6, 7, 8, 9));
}

TEST(Contrib, Clips) {
  auto of = [](std::int64_t n) { return Tree::dict({{"images", count({n})}}); };
  auto images = [](const Tree& record) { return numbers(record["images"].tensor()); };
  const FirstClip first{.stride = 2, .num_frames = 3, .indices_key = "i"};
  EXPECT_THAT(images(first.map(of(7))), ElementsAre(0, 2, 4));
  EXPECT_THAT(numbers(first.map(of(3))["i"].tensor()), ElementsAre(0, 2, 2));
  const MiddleClip middle{.output_key = "o", .stride = 2, .num_frames = 3};
  EXPECT_THAT(numbers(middle.map(of(10))["o"].tensor()), ElementsAre(2, 4, 6));
  EXPECT_THAT(numbers(middle.map(of(7))["o"].tensor()), ElementsAre(0, 2, 4));
  EXPECT_EQ(images(middle.map(of(7))).size(), 7u);
  const MultiClip several{.stride = 2, .num_frames = 2, .num_clips = 4};
  EXPECT_THAT(images(several.map(of(11))), ElementsAre(0, 2, 2, 4, 4, 6, 7, 9));
  EXPECT_THAT(error_of([&] {
                first.map(Tree::dict({{"image", count({3})}}));
              }),
              HasSubstr("input_key: there is no element 'images'"));
  const RandomClip random{.stride = 2, .num_frames = 3};
  std::set<Numbers> seen;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    seen.insert(images(random.random_map(of(8), Generator({seed, 0}))));
  }
  EXPECT_THAT(seen, ElementsAre(Numbers{0, 2, 4}, Numbers{1, 3, 5}, Numbers{2, 4, 6}));
}

TEST(Contrib, RandomWindows) {
  auto all = [](const auto& transform, std::int64_t frames) {
    std::set<Numbers> seen;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      Generator rng({seed, 0});
      seen.insert(numbers(transform.random_map_element(count({frames}), rng)));
    }
    return seen;
  };
  EXPECT_EQ(all(TemporalRandomWindow{.key = "x", .length = 3}, 6).size(), 4u);
  EXPECT_THAT(
      all(TemporalRandomWindow{.key = "x", .length = 5, .padding_mode = PaddingMode::last}, 3),
      ElementsAre(Numbers{0, 1, 2, 2, 2}));
  EXPECT_THAT(all(TemporalRandomWindow{.key = "x", .length = 3, .frame_rate = AnyRate::random}, 7),
              ElementsAre(Numbers{0, 1, 2}, Numbers{0, 2, 4}, Numbers{1, 2, 3}, Numbers{1, 3, 5},
                          Numbers{2, 3, 4}, Numbers{3, 4, 5}, Numbers{4, 5, 6}));
  EXPECT_THAT(all(TemporalRandomStridedWindow{.key = "x", .length = 4, .stride = 3}, 12),
              ElementsAre(Numbers{0, 1, 2, 3}, Numbers{3, 4, 5, 6}, Numbers{6, 7, 8, 9},
                          Numbers{9, 10, 11, 0}));
  const auto window = [](const char* field, const char* value) {
    return error_of([&] {
      konfig::resolve(konfig::Value(konfig::call("kauldron.contrib.data:TemporalRandomWindow",
                                                 {{"key", "x"}, {"length", 3}, {field, value}})));
    });
  };
  EXPECT_THAT(window("frame_rate", "fast"),
              HasSubstr("frame_rate: expected a number or \"random\""));
  EXPECT_THAT(window("padding_mode", "first"),
              HasSubstr("padding_mode: expected one of constant, last"));
}

TEST(Contrib, RandomChangesOfVideos) {
  const Tensor video = count({2, 10, 20, 1});
  std::set<std::vector<std::int64_t>> sizes;
  int flipped = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Generator rng({seed, 0}), again({seed, 0});
    const Tensor resized = RandomResize{.key = "x", .prob = 0.5}.random_map_element(video, rng);
    sizes.insert(shape(resized));
    EXPECT_EQ(resized.size(2) / 2, resized.size(1));
    const Tensor flip = RandomFlipLeftRightVideo{.key = "x"}.random_map_element(video, again);
    EXPECT_TRUE(flip.equal(video) || flip.equal(video.flip({2})));
    flipped += !flip.equal(video);
  }
  EXPECT_GE(sizes.begin()->at(1), 8);
  EXPECT_LE(sizes.rbegin()->at(1), 12);
  EXPECT_GT(sizes.size(), 3u);
  EXPECT_GT(flipped, 15);
  EXPECT_LT(flipped, 45);
}

TEST(Contrib, MeshGridMask) {
  const CreateMeshGridMask grid{.key = "x"};
  const Tree out = grid.map(Tree::dict({{"x", count({2, 3, 1})}}));
  EXPECT_THAT(shape(out["x_mask"].tensor()), ElementsAre(1, 2, 3, 2));
  EXPECT_THAT(numbers(out["x_mask"].tensor()), ElementsAre(0, 0, 1, 0, 2, 0, 0, 1, 1, 1, 2, 1));
}

TEST(Contrib, RandomWalkGoesToNeighbours) {
  const TemporalRandomWalk walk{.key = "x", .length = 40, .thresh = 0.3};
  std::set<float> seen;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Generator rng({seed, 0});
    const Numbers frames = numbers(walk.random_map_element(count({5}), rng));
    ASSERT_EQ(frames.size(), 40u);
    for (std::size_t i = 1; i < frames.size(); ++i) {
      EXPECT_EQ(std::abs(frames[i] - frames[i - 1]), 1) << i;
    }
    seen.insert(frames.begin(), frames.end());
  }
  EXPECT_EQ(seen.size(), 5u);
  Generator rng;
  EXPECT_THAT(shape(walk.random_map_element(count({1, 2}), rng)), ElementsAre(40, 2));
  EXPECT_THAT(error_of([&] {
                walk.random_map_element(count({0, 2}), rng);
              }),
              HasSubstr("no frames"));
}

TEST(Contrib, BlurKeepsSumsInside) {
  const GaussianBlur blur{.key = "x", .apply_prob = 1, .sigma_min = 1, .sigma_max = 1};
  Tensor point = count({2, 15, 15, 2}) * 0;
  point[1][7][7][0] = 1;
  Generator rng;
  const Tensor out = blur.random_map_element(point, rng);
  EXPECT_EQ(out.sizes(), point.sizes());
  EXPECT_NEAR(out.sum().item<double>(), 1, 1e-5);
  EXPECT_NEAR(out[1][7][7][0].item<double>(), 0.159155, 2e-5);  // 1 / (2 pi), nearly
  EXPECT_NEAR((out[1][7][8][0] / out[1][7][7][0]).item<double>(), std::exp(-0.5), 1e-5);
  EXPECT_EQ(out[0].abs().sum().item<double>(), 0);
  const GaussianBlur never{.key = "x", .apply_prob = 0};
  EXPECT_TRUE(never.random_map_element(point, rng).equal(point));
  EXPECT_THAT(error_of([&] { blur.random_map_element(point.to(at::kByte), rng); }),
              HasSubstr("expected floating-point images"));
}

TEST(Contrib, FramesBecomeRecords) {
  const SliceVideosIntoFrames frames{.tensors_to_slice_names = std::vector<std::string>{"video"},
                                     .context_tensors_names = {"label"}};
  const StreamPtr videos = stream(in_memory(
      Tree::dict({{"video", count({4, 3, 2})}, {"label", count({4})}, {"other", count({4})}})));
  const StreamPtr s = with_step(videos, bind(Poly<Transform>(frames)));
  EXPECT_EQ(s->size(), 12);
  const Tree record = *s->at(7);  // the second frame of the third video
  EXPECT_EQ(record.size(), 2u);
  EXPECT_THAT(numbers(record["video"].tensor()), ElementsAre(14, 15));
  EXPECT_EQ(record["label"].tensor().item<float>(), 2);
  const std::int64_t positions[] = {2, 3, 13};  // 13: of the second epoch
  const Tree batch = s->batch(positions);
  EXPECT_THAT(numbers(batch["label"].tensor()), ElementsAre(0, 1, 0));
  EXPECT_THAT(numbers(batch["video"].tensor()), ElementsAre(4, 5, 6, 7, 2, 3));
  EXPECT_THAT(error_of([&] {
                frames.split(Tree::dict({{"vidoe", count({3})}}));
              }),
              HasSubstr("tensors_to_slice_names: there is no element 'video'"));
}

}  // namespace
}  // namespace kd::data::contrib
