// The values of each change that RandAugment makes, worked out by hand for small images.
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/rot90.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "kd/data/engine/transform.h"
#include "kd/data/transforms/transforms_contrib.h"

namespace kd::data::contrib {
namespace {

using enum AugmentOp;

constexpr AugmentOp kAll[] = {AutoContrast, Equalize,   Invert,     Rotate,     Posterize, Solarize,
                              Color,        Contrast,   Brightness, Sharpness,  ShearX,    ShearY,
                              TranslateX,   TranslateY, Cutout,     SolarizeAdd};

// Of one channel or three: {{1, 2}, {3, 4}} is an image of two rows, the same in all channels.
Tensor image_of(const std::vector<std::vector<int>>& rows) {
  std::vector<Tensor> out;
  for (auto& row : rows) out.push_back(at::tensor(row).to(at::kByte).unsqueeze(-1).repeat({1, 3}));
  return at::stack(out);
}
Tensor pixel(int red, int green, int blue) {
  return at::tensor({red, green, blue}).to(at::kByte).reshape({1, 1, 3});
}

// What one change makes of an image: all results but the image itself, over many seeds.
std::vector<Tensor> results(AugmentOp op, double magnitude, const Tensor& image,
                            RandAugment augment = {.image_key = "image"}) {
  augment.num_layers = 1;
  augment.magnitude = magnitude;
  augment.exclude_ops.emplace();
  for (AugmentOp other : kAll) {
    if (other != op) augment.exclude_ops->push_back(other);
  }
  std::vector<Tensor> out;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Tensor found =
        augment.random_map(Tree::dict({{"image", image}}), Generator({seed, 0}))["image"].tensor();
    auto same = [&](const Tensor& other) { return found.equal(other); };
    if (!found.equal(image) && std::ranges::none_of(out, same)) out.push_back(found);
  }
  return out;
}

void expect_one(const std::vector<Tensor>& found, const Tensor& wanted) {
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].equal(wanted)) << found[0] << "\nexpected " << wanted;
}
// A change with a sign, which is drawn.
void expect_both(const std::vector<Tensor>& found, const Tensor& a, const Tensor& b) {
  ASSERT_EQ(found.size(), 2u);
  for (const Tensor& one : found) {
    EXPECT_TRUE(one.equal(a) || one.equal(b)) << one << "\nexpected " << a << "\nor " << b;
  }
}

TEST(RandAugment, ColoursAreStretched) {
  const Tensor image = at::cat({pixel(50, 7, 0), pixel(100, 7, 255), pixel(150, 7, 3)}, 1);
  // Each channel by itself; one of a single value, or of all values, stays.
  expect_one(results(AutoContrast, 10, image),
             at::cat({pixel(0, 7, 0), pixel(127, 7, 255), pixel(255, 7, 3)}, 1));
  // 128 pixels of 10, 128 of 100, 256 of 200: a value becomes the number of pixels below it.
  auto rows = [](int low, int middle, int high) {
    return at::cat({at::full({8, 16, 3}, low, at::kByte), at::full({8, 16, 3}, middle, at::kByte),
                    at::full({16, 16, 3}, high, at::kByte)});
  };
  expect_one(results(Equalize, 10, rows(10, 100, 200)), rows(0, 128, 255));
}

TEST(RandAugment, ValuesAreReplaced) {
  const Tensor image = image_of({{0, 17, 127, 128, 200, 255}});
  expect_one(results(Invert, 10, image), image_of({{255, 238, 128, 127, 55, 0}}));
  // 4 bits at 10, 2 at 5.
  expect_one(results(Posterize, 10, image), image_of({{0, 16, 112, 128, 192, 240}}));
  expect_one(results(Posterize, 5, image), image_of({{0, 0, 64, 128, 192, 192}}));
  // From 128 on at 5; what is 255 at most stays at 10.
  expect_one(results(Solarize, 5, image), image_of({{0, 17, 127, 127, 55, 0}}));
  EXPECT_TRUE(results(Solarize, 10, image).empty());
  // 55 more at 5, below 128 only, 110 at 10, at most 255.
  expect_one(results(SolarizeAdd, 5, image), image_of({{55, 72, 182, 128, 200, 255}}));
  expect_one(results(SolarizeAdd, 20, image), image_of({{220, 237, 255, 128, 200, 255}}));
}

// The factor is 0.1 at 0, 1 at 5 and 1.9 at 10.
TEST(RandAugment, ImagesAreBlended) {
  const Tensor values = image_of({{0, 40, 100, 200}});
  expect_one(results(Brightness, 0, values), image_of({{0, 4, 10, 20}}));
  expect_one(results(Brightness, 10, values), image_of({{0, 76, 190, 255}}));
  EXPECT_TRUE(results(Brightness, 5, values).empty());
  // Towards the mean grey, 60, and away from it.
  const Tensor two = image_of({{40, 80}});
  expect_one(results(Contrast, 0, two), image_of({{58, 62}}));
  expect_one(results(Contrast, 10, two), image_of({{22, 98}}));
  // 0.2989 * 200 + 0.587 * 100 + 0.114 * 0 = 118.48
  expect_one(results(Color, 0, pixel(200, 100, 0)), pixel(126, 116, 106));
  expect_one(results(Color, 10, pixel(200, 100, 0)), pixel(255, 83, 0));
}

TEST(RandAugment, ImagesAreSharpened) {
  Tensor dot = at::full({3, 3, 3}, 13, at::kByte);
  dot[1][1].fill_(130);
  // The smoothed middle is (8 * 13 + 5 * 130) / 13 = 58. The border stays.
  Tensor smooth = dot.clone(), sharp = dot.clone();
  smooth[1][1].fill_(65);  // 58 + 0.1 * 72
  sharp[1][1].fill_(194);  // 58 + 1.9 * 72
  expect_one(results(Sharpness, 0, dot), smooth);
  expect_one(results(Sharpness, 10, dot), sharp);
}

// Where nothing comes from there is 128.
TEST(RandAugment, ImagesAreMoved) {
  const Tensor image = image_of({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
  // 30 degrees at 10.
  expect_both(results(Rotate, 30, image), at::rot90(image, 1, {0, 1}),
              at::rot90(image, -1, {0, 1}));
  // By 0.3 of the other coordinate at 10: rows 0 and 1 stay, row 2 by 0.6, one pixel.
  expect_both(results(ShearX, 10, image), image_of({{1, 2, 3}, {4, 5, 6}, {8, 9, 128}}),
              image_of({{1, 2, 3}, {4, 5, 6}, {128, 7, 8}}));
  expect_both(results(ShearY, 10, image), image_of({{1, 2, 6}, {4, 5, 9}, {7, 8, 128}}),
              image_of({{1, 2, 128}, {4, 5, 3}, {7, 8, 6}}));
  // translate_const pixels at 10, half of it at 5.
  const RandAugment two{.image_key = "image", .translate_const = 2};
  expect_both(results(TranslateX, 5, image, two), image_of({{2, 3, 128}, {5, 6, 128}, {8, 9, 128}}),
              image_of({{128, 1, 2}, {128, 4, 5}, {128, 7, 8}}));
  expect_both(results(TranslateY, 10, image, two),
              image_of({{7, 8, 9}, {128, 128, 128}, {128, 128, 128}}),
              image_of({{128, 128, 128}, {128, 128, 128}, {1, 2, 3}}));
}

// A square of twice cutout_const at 10, around any pixel, as far as the image goes.
TEST(RandAugment, AHoleIsCutOut) {
  const Tensor image = image_of({{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
  const RandAugment small{.image_key = "image", .cutout_const = 1};
  std::vector<Tensor> wanted;
  for (std::int64_t y = 0; y < 3; ++y) {
    for (std::int64_t x = 0; x < 3; ++x) {
      Tensor cut = image.clone();
      cut.slice(0, std::max<std::int64_t>(y - 1, 0), y + 1)
          .slice(1, std::max<std::int64_t>(x - 1, 0), x + 1)
          .fill_(128);
      wanted.push_back(cut);
    }
  }
  const auto found = results(Cutout, 10, image, small);
  EXPECT_EQ(found.size(), wanted.size());
  for (const Tensor& one : found) {
    EXPECT_TRUE(std::ranges::any_of(wanted, [&](const Tensor& cut) { return one.equal(cut); }))
        << one;
  }
  EXPECT_TRUE(results(Cutout, 9, image, small).empty());
}

// Each of them is chosen, and as often as not to change anything.
TEST(RandAugment, AllAreChosenAlike) {
  const Tensor image = image_of({{0, 17, 127, 128, 200, 255}});
  RandAugment augment{.image_key = "image", .num_layers = 1, .magnitude = 10};
  augment.exclude_ops.emplace();
  for (AugmentOp op : kAll) {
    if (op != Invert && op != Posterize) augment.exclude_ops->push_back(op);
  }
  int inverted = 0, posterized = 0, same = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const Tensor found =
        augment.random_map(Tree::dict({{"image", image}}), Generator({seed, 0}))["image"].tensor();
    inverted += found.equal(255 - image);
    posterized += found.equal(image_of({{0, 16, 112, 128, 192, 240}}));
    same += found.equal(image);
  }
  EXPECT_EQ(inverted + posterized + same, 600);
  for (int count : {inverted, posterized, same}) EXPECT_NEAR(count, 200, 60);
}

}  // namespace
}  // namespace kd::data::contrib
