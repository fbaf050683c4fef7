#include "kd/einops/einops.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kd/core/tensor.h"
#include "konfig/expect_test.h"

namespace kd::einops {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tensor numbers(at::IntArrayRef shape) {
  std::int64_t n = 1;
  for (auto size : shape) n *= size;
  return at::arange(n, at::kFloat).reshape(shape);
}

using konfig::error_of;

TEST(Einops, SplitsJoinsAndPermutes) {
  Tensor x = numbers({2, 6, 3});
  EXPECT_TRUE(at::equal(rearrange(x, "b n c -> c b n"), x.permute({2, 0, 1})));
  EXPECT_TRUE(at::equal(rearrange(x, "b (h k) c -> b h (k c)", {{"k", 2}}), x.reshape({2, 3, 6})));
  EXPECT_TRUE(at::equal(rearrange(x, "b (h k) c -> (k h) b c", {{"h", 2}}),
                        x.reshape({2, 2, 3, 3}).permute({2, 1, 0, 3}).reshape({6, 2, 3})));
  EXPECT_TRUE(at::equal(rearrange(x, "b n c -> b (n c)"), x.reshape({2, 18})));
}

TEST(Einops, EllipsisAndOnes) {
  Tensor x = numbers({2, 6, 3});
  EXPECT_TRUE(at::equal(rearrange(x, "... c -> c ..."), x.permute({2, 0, 1})));
  EXPECT_TRUE(at::equal(rearrange(x, "b ... -> b (...)"), x.reshape({2, 18})));
  EXPECT_TRUE(at::equal(rearrange(x, "b n c ... -> ... b n c"), x));
  EXPECT_THAT(rearrange(x, "b n c -> b 1 n () c").sizes(), ElementsAre(2, 1, 6, 1, 3));
  EXPECT_THAT(rearrange(numbers({2, 1, 3}), "b 1 c -> c b").sizes(), ElementsAre(3, 2));
  EXPECT_THAT(rearrange(at::zeros({0, 4}), "b (h w) -> h b w", {{"h", 2}}).sizes(),
              ElementsAre(2, 0, 2));
}

TEST(Einops, Reduces) {
  Tensor x = numbers({2, 4, 3});
  EXPECT_TRUE(at::equal(reduce(x, "... n d -> ... d", "sum"), x.sum({1})));
  EXPECT_TRUE(at::equal(reduce(x, "b n d -> b", "mean"), x.mean({1, 2})));
  EXPECT_TRUE(at::equal(reduce(x, "b n d -> d b", "max"), x.amax({1}).t()));
  EXPECT_TRUE(at::equal(reduce(x, "b (n 2) d -> b n d", "min"), x.reshape({2, 2, 2, 3}).amin({2})));
  EXPECT_TRUE(at::equal(reduce(x + 1, "b n d -> n", "prod"), (x + 1).prod(2).prod(0)));
  EXPECT_TRUE(at::equal(reduce(x, "b n d -> d n b", "mean"), x.permute({2, 1, 0})));
}

TEST(Einops, Repeats) {
  Tensor x = numbers({2, 3});
  EXPECT_TRUE(at::equal(repeat(x, "b d -> b n d", {{"n", 4}}), x.unsqueeze(1).expand({2, 4, 3})));
  EXPECT_TRUE(
      at::equal(repeat(x, "b d -> b (d 2)"), x.unsqueeze(2).expand({2, 3, 2}).reshape({2, 6})));
}

TEST(Einops, Errors) {
  Tensor x = numbers({2, 6, 3});
  auto error = [&](const char* pattern, const AxisSizes& sizes = {}) {
    return error_of([&] { rearrange(x, pattern, sizes); });
  };
  EXPECT_THAT(error("b n c"), HasSubstr("pattern 'b n c': a pattern has one '->'"));
  EXPECT_THAT(error("b n -> n b"), HasSubstr("left side has 2 dimensions, the tensor has 3"));
  EXPECT_THAT(error("... a b c d -> ..."), HasSubstr("at least 4 dimensions"));
  EXPECT_THAT(error("b n c -> b n"), HasSubstr("'c' is only on the left side"));
  EXPECT_THAT(error("b n c -> b n c d"), HasSubstr("'d' is only on the right side"));
  EXPECT_THAT(error("b n b -> b n"), HasSubstr("'b' occurs twice on one side (character 5)"));
  EXPECT_THAT(error("b (h w) c -> b h w c"), HasSubstr("'h' and 'w' do not follow"));
  EXPECT_THAT(error("b (h w) c -> b h w c", {{"h", 4}}), HasSubstr("size 6 does not fit '(h w)'"));
  EXPECT_THAT(error("b n c -> c n b", {{"n", 5}}), HasSubstr("does not fit '(n)'"));
  EXPECT_THAT(error("b n c -> c n b", {{"nn", 6}}), HasSubstr("did you mean 'n'"));
  EXPECT_THAT(error("b ((n) c) -> b"), HasSubstr("parentheses inside"));
  EXPECT_THAT(error("b n c) -> b"), HasSubstr("')' without '('"));
  EXPECT_THAT(error("b (n c -> b"), HasSubstr("not closed (character 3)"));
  EXPECT_THAT(error("b n c -> ... c"), HasSubstr("right side only"));
  EXPECT_THAT(error("b (...) -> b"), HasSubstr("for the right side only"));
  EXPECT_THAT(error("b n-c d -> b"), HasSubstr("unexpected '-' (character 4)"));
  EXPECT_THAT(error("b 2x c -> b"), HasSubstr("neither a name nor a size"));
  EXPECT_THAT(error("b n c -> b n c 2"), HasSubstr("right side"));
  EXPECT_THAT(error_of([&] { reduce(x, "b n c -> b", "median"); }), HasSubstr("there are mean"));
  EXPECT_THAT(error_of([&] { repeat(x, "b n c -> b n c k"); }), HasSubstr("size of 'k'"));
}

}  // namespace
}  // namespace kd::einops
