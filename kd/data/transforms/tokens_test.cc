// Tokens that are left out at random.
#include "kd/data/transforms/transforms_tokens.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "kd/data/engine/transform.h"
#include "konfig/expect_test.h"

namespace kd::data::contrib {
namespace {

using konfig::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tensor count(std::vector<std::int64_t> shape) {
  return at::arange(c10::multiply_integers(shape), at::kFloat).reshape(shape);
}
std::vector<int> ints(const Tensor& x) {
  const Tensor flat = x.to(at::kInt).contiguous();
  return {flat.const_data_ptr<int>(), flat.const_data_ptr<int>() + flat.numel()};
}

TEST(RandomDropTokens, KeepsSomeAndTheirNumbers) {
  const RandomDropTokens drop{.key = "x", .drop_ratio = 0.75};
  const Tree out = drop.random_map(Tree::dict({{"x", count({8, 2})}}), Generator({1, 2}));
  const auto indices = ints(out["x_indices"].tensor());
  ASSERT_EQ(indices.size(), 2u);
  for (std::int64_t i = 0; i < 2; ++i) {
    EXPECT_EQ(out["x"].tensor()[i][0].item<int>(), 2 * indices[static_cast<std::size_t>(i)]);
  }
  EXPECT_EQ(out["x_indices"].tensor().scalar_type(), at::kInt);
  std::set<std::vector<int>> seen;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    seen.insert(
        ints(drop.random_map(Tree::dict({{"x", count({8, 2})}}), Generator({seed, 0}))["x_indices"]
                 .tensor()));
  }
  EXPECT_GT(seen.size(), 20u);
}

TEST(RandomDropTokens, OfABatch) {
  RandomDropTokens drop{.key = "x", .drop_ratio = 0.5, .shuffle_tokens = false};
  const Tree record = Tree::dict({{"x", count({2, 4, 1})}});
  EXPECT_THAT(ints(drop.random_map(record, Generator())["x"].tensor()), ElementsAre(0, 1, 4, 5));
  EXPECT_THAT(ints(drop.random_map(record, Generator())["x_indices"].tensor()),
              ElementsAre(0, 1, 0, 1));
  drop.offset_indices = true;
  EXPECT_THAT(ints(drop.random_map(record, Generator())["x_indices"].tensor()),
              ElementsAre(0, 1, 4, 5));
  drop.offset_indices = false;
  drop.key_exclude_indices = "no";
  const Tree excluding = Tree::dict(
      {{"x", count({2, 4, 1})}, {"no", at::tensor({0, 1, 2, 0}, at::kInt).reshape({2, 2})}});
  EXPECT_THAT(ints(drop.random_map(excluding, Generator())["x_indices"].tensor()),
              ElementsAre(2, 3, 1, 3));
  drop.drop_ratio = 0.0;
  EXPECT_THAT(error_of([&] { drop.random_map(excluding, Generator()); }),
              HasSubstr("key_exclude_indices: 4 tokens are to stay, but only 2 of 4 may"));
  drop.drop_ratio = 1.5;
  EXPECT_THAT(error_of([&] { drop.check(); }), HasSubstr("drop_ratio: expected a number from 0"));
  EXPECT_THAT(error_of([&] {
                RandomDropTokens{.key = "y", .drop_ratio = 0.5}.random_map(record, Generator());
              }),
              HasSubstr("key: there is no element 'y'"));
}

TEST(SubsampleAndFlatten, TubesStayInAllFrames) {
  SubsampleAndFlatten tubes{.key = "x",
                            .drop_ratio = 0.5,
                            .shuffle_tokens = false,
                            .sample_dims = {1, 2},
                            .flatten_up_to = 3};
  const Tree record = Tree::dict({{"x", count({2, 2, 2, 1})}});
  const Tree out = tubes.random_map(record, Generator());
  EXPECT_THAT(ints(out["x_indices"].tensor()), ElementsAre(0, 4, 1, 5));
  EXPECT_THAT(ints(out["x"].tensor()), ElementsAre(0, 4, 1, 5));
  EXPECT_THAT(out["x"].tensor().sizes().vec(), ElementsAre(4, 1));
  // Two dimensions in full: the second one is the outer loop.
  tubes.sample_dims = {0};
  EXPECT_THAT(ints(tubes.random_map(record, Generator())["x_indices"].tensor()),
              ElementsAre(0, 2, 1, 3));
  tubes.shuffle_tokens = true;
  tubes.sample_dims = {0, 1, 2};
  std::set<std::vector<int>> seen;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    seen.insert(ints(tubes.random_map(record, Generator({seed, 0}))["x_indices"].tensor()));
  }
  EXPECT_GT(seen.size(), 10u);
  const SubsampleAndFlatten plain{.key = "x", .drop_ratio = 0.5, .shuffle_tokens = false};
  EXPECT_THAT(plain.random_map(record, Generator())["x"].tensor().sizes().vec(),
              ElementsAre(1, 2, 2, 1));
  tubes.sample_dims = {3};
  EXPECT_THAT(error_of([&] { tubes.check(); }), HasSubstr("sample_dims"));
}

TEST(MaskedVideoVisualization, PutsPatchesBack) {
  const MaskedVideoVisualization show{.sparse_patches_key = "x",
                                      .indices_key = "x_indices",
                                      .output_key = "video",
                                      .grid_shape = std::array{1, 2, 2},
                                      .patch_shape = std::array{1, 1, 2},
                                      .fill_value = 9,
                                      .channels = 1};
  const Tree out =
      show.map(Tree::dict({{"x", count({2, 2})}, {"x_indices", at::tensor({3, 0}, at::kInt)}}));
  EXPECT_THAT(out["video"].tensor().sizes().vec(), ElementsAre(1, 2, 4, 1));
  EXPECT_THAT(ints(out["video"].tensor()), ElementsAre(2, 3, 9, 9, 9, 9, 0, 1));
  EXPECT_THAT(error_of([&] {
                show.map(Tree::dict({{"x", count({2, 3})}, {"x_indices", at::full({2}, 0)}}));
              }),
              HasSubstr("x: expected patches (n, 2)"));
}

}  // namespace
}  // namespace kd::data::contrib
