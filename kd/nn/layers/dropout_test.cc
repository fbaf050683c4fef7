#include "kd/nn/layers/dropout.h"

#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include "kd/nn/layers/layers_test.h"

namespace kd::nn {
namespace {

using Plain = linen::Dropout;

With with_key(std::int64_t seed = 1) { return {.rngs = Rngs({{"dropout", random::key(seed)}})}; }

TEST(LinenDropout, KeepsTheMean) {
  Tensor x = at::ones({200, 100});
  Tensor y = Plain{.rate = 0.25, .deterministic = false}.apply(Tree::dict(), with_key(), x).out;
  EXPECT_NEAR(y.mean().item<float>(), 1, 0.02);
  EXPECT_NEAR((y == 0).to(at::kFloat).mean().item<float>(), 0.25, 0.02);
  EXPECT_TRUE(((y == 0) | (y == 1 / 0.75f)).all().item<bool>());
}

TEST(LinenDropout, OneKeyOneMask) {
  Tensor x = at::ones({8, 8});
  Plain layer{.rate = 0.5, .deterministic = false};
  auto run = [&](std::int64_t seed) {
    return Tensor(layer.apply(Tree::dict(), with_key(seed), x).out);
  };
  EXPECT_TRUE(run(1).equal(run(1)));
  EXPECT_FALSE(run(1).equal(run(2)));
  // A key of one's own instead of the stream's.
  Tensor own = layer.apply(Tree::dict(), {}, x, std::nullopt, std::optional(random::key(3))).out;
  EXPECT_TRUE(own.equal((random::bernoulli(random::key(3), {8, 8}, 0.5)).to(at::kFloat) * 2));
}

TEST(LinenDropout, TheEndsNeedNoKey) {
  Tensor x = noise({3, 4}, 0, at::kFloat);
  auto run = [&](const Plain& layer) { return Tensor(layer.apply(Tree::dict(), {}, x).out); };
  EXPECT_TRUE(run({.rate = 0.0, .deterministic = false}).equal(x));
  EXPECT_TRUE(run({.rate = 1.0, .deterministic = false}).equal(at::zeros({3, 4})));
  EXPECT_TRUE(run({.rate = 0.5, .deterministic = true}).equal(x));
}

TEST(LinenDropout, DroppedInfinitiesAreGone) {
  Tensor x = at::ones({64}) / 0;
  Tensor y = Plain{.rate = 0.5, .deterministic = false}.apply(Tree::dict(), with_key(), x).out;
  EXPECT_FALSE(y.isnan().any().item<bool>());
}

TEST(LinenDropout, GradientsAreSlopes) {
  Plain layer{.rate = 0.4, .broadcast_dims = {0}, .deterministic = false};
  EXPECT_LT(module_gradient_error(layer, noise({3, 4}), with_key()), 1e-8);
}

TEST(LinenDropout, ErrorsNameThePlace) {
  Tensor x = at::ones({2, 3});
  EXPECT_THAT(init_error(Plain{.rate = 0.5}, x),
              HasSubstr("part: deterministic is given neither to the module nor to its call"));
  EXPECT_THAT(init_error(Plain{.rate = 1.5, .deterministic = false}, x),
              HasSubstr("part: rate is 1.5"));
  EXPECT_THAT(init_error(Plain{.rate = 0.5, .broadcast_dims = {2}, .deterministic = false}, x),
              HasSubstr("part: broadcast_dims 2 is out of range"));
  Plain layer{.rate = 0.5, .deterministic = false};
  EXPECT_THAT(error_of([&] { layer.apply(Tree::dict(), {}, x); }), HasSubstr("'dropout'"));
  EXPECT_THAT(error_of([&] { layer.apply(Tree::dict(), with_key(), x, std::optional(true)); }),
              HasSubstr("only one may be"));
}

}  // namespace
}  // namespace kd::nn
