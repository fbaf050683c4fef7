#include "kd/nn/layers/norm.h"

#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include "kd/nn/layers/layers_test.h"
#include "kd/nn/layers/norm_impl.h"

namespace kd::nn {
namespace {

constexpr auto kDouble = DType::float64;
const initializers::Normal kWide{.stddev = 1};

TEST(LayerNorm, GradientsAreSlopes) {
  Tensor x = noise({3, 4, 5});
  LayerNorm usual{.param_dtype = kDouble, .bias_init = kWide, .scale_init = kWide};
  EXPECT_LT(module_gradient_error(usual, x), 1e-7);
  LayerNorm several = usual;
  several.reduction_axes = {1, 2}, several.feature_axes = -1;
  EXPECT_LT(module_gradient_error(several, x), 1e-7);
  several.use_fast_variance = false;
  EXPECT_LT(module_gradient_error(several, x), 1e-7);
}

TEST(RMSNorm, GradientsAreSlopes) {
  RMSNorm layer{.param_dtype = kDouble, .scale_init = kWide};
  EXPECT_LT(module_gradient_error(layer, noise({3, 5})), 1e-7);
}

TEST(GroupNorm, GradientsAreSlopes) {
  GroupNorm layer{.num_groups = 2, .param_dtype = kDouble, .bias_init = kWide, .scale_init = kWide};
  EXPECT_LT(module_gradient_error(layer, noise({2, 3, 4})), 1e-7);
  EXPECT_LT(module_gradient_error(layer, noise({2, 2, 3, 4})), 1e-7);
  layer.reduction_axes = -1;
  EXPECT_LT(module_gradient_error(layer, noise({2, 3, 4})), 1e-7);
}

TEST(InstanceNorm, GradientsAreSlopes) {
  InstanceNorm layer{.param_dtype = kDouble, .bias_init = kWide, .scale_init = kWide};
  EXPECT_LT(module_gradient_error(layer, noise({2, 4, 3})), 1e-7);
  layer.feature_axes = {1, 2};
  EXPECT_LT(module_gradient_error(layer, noise({2, 2, 3, 4})), 1e-7);
}

TEST(BatchNorm, GradientsAreSlopes) {
  BatchNorm layer{.use_running_average = false,
                  .param_dtype = kDouble,
                  .bias_init = kWide,
                  .scale_init = kWide};
  With with{.mutable_collections = {"batch_stats"}};
  EXPECT_LT(module_gradient_error(layer, noise({5, 2, 3}), with), 1e-7);
}

TEST(BatchNorm, NeedsToKnowWhetherItTrains) {
  Tensor x = noise({4, 3}, 0, at::kFloat);
  EXPECT_THAT(
      init_error(BatchNorm{}, x),
      HasSubstr("part: use_running_average is given neither to the module nor to its call"));
  BatchNorm layer{.use_running_average = true};
  EXPECT_THAT(error_of([&] { layer.init({.rngs = random::key(0)}, x, std::optional(false)); }),
              HasSubstr("only one may be"));
}

TEST(BatchNorm, StatisticsChangeOnlyWhereTheyMay) {
  Tensor x = noise({8, 3}, 0, at::kFloat) + 5;
  BatchNorm layer{.use_running_average = false, .momentum = 0.5};
  Tree variables = layer.init({.rngs = random::key(0)}, x);
  EXPECT_TRUE(variables["batch_stats"]["mean"].tensor().equal(at::zeros({3})));
  EXPECT_THAT(error_of([&] { layer.apply(variables, {}, x); }), HasSubstr("batch_stats"));
  auto step = layer.apply(variables, {.mutable_collections = {"batch_stats"}}, x);
  EXPECT_TRUE(step.changed["batch_stats"]["mean"].tensor().allclose(x.mean(0) / 2));
  EXPECT_TRUE(variables["batch_stats"]["mean"].tensor().equal(at::zeros({3}))) << "apply is pure";
  EXPECT_FALSE(step.changed["batch_stats"]["mean"].tensor().requires_grad());
}

TEST(RMSNorm, TheFastKernelIsThePlainFormula) {
  for (Sizes shape : {Sizes{7, 13}, Sizes{300, 192}, Sizes{2, 3, 64}, Sizes{0, 8}, Sizes{5}}) {
    Tensor x = noise(shape, 1, at::kFloat), scale = noise({shape.back()}, 2, at::kFloat);
    Tensor dy = noise(shape, 3, at::kFloat);
    Tree inputs = tracked(Tree::dict({{"scale", scale}, {"x", x}}));
    auto& tx = inputs["x"].tensor();
    auto& ts = inputs["scale"].tensor();
    Tensor fast = detail::rms_norm(tx, ts, 1e-6);
    Tensor plain = tx * ((tx * tx).mean({-1}, true) + 1e-6).rsqrt() * ts;
    EXPECT_TRUE(fast.allclose(plain, 1e-5, 1e-6));
    Tree fast_grads = grad((fast * dy).sum(), inputs),
         plain_grads = grad((plain * dy).sum(), inputs);
    for (const char* name : {"x", "scale"}) {
      EXPECT_TRUE(fast_grads[name].tensor().allclose(plain_grads[name].tensor(), 1e-4, 1e-4));
    }
  }
}

TEST(RMSNorm, HasASecondGradient) {
  Tensor x = tracked(noise({3, 4}, 1, at::kFloat));
  Tensor y = detail::rms_norm(x, Tensor(), 1e-6);
  Tensor first = grad((y * y * y).sum(), std::vector{x}, {.differentiable = true})[0];
  Tensor plain = x * ((x * x).mean({-1}, true) + 1e-6).rsqrt();
  Tensor wanted = grad((plain * plain * plain).sum(), std::vector{x}, {.differentiable = true})[0];
  Tensor second = grad((first * first).sum(), std::vector{x})[0];
  EXPECT_TRUE(second.allclose(grad((wanted * wanted).sum(), std::vector{x})[0], 1e-3, 1e-4));
}

TEST(Norms, EmptyBatches) {
  auto run = [](const auto& layer, Sizes shape) {
    Tree variables = layer.init({.rngs = random::key(0)}, at::ones(shape));
    return sizes(Tensor(layer.apply(variables, {}, at::ones(shape)).out));
  };
  EXPECT_EQ(run(LayerNorm{}, {0, 3}), Sizes({0, 3}));
  EXPECT_EQ(run(RMSNorm{}, {2, 0, 3}), Sizes({2, 0, 3}));
  EXPECT_EQ(run(GroupNorm{.num_groups = 2}, {0, 5, 4}), Sizes({0, 5, 4}));
}

TEST(Norms, ErrorsNameThePlace) {
  Tensor x = at::ones({2, 3, 4});
  EXPECT_THAT(init_error(LayerNorm{.reduction_axes = 5}, x),
              HasSubstr("part: reduction_axes 5 is out of range"));
  EXPECT_THAT(init_error(LayerNorm{}, at::ones({})), HasSubstr("part: the input () needs"));
  EXPECT_THAT(init_error(GroupNorm{}, x),
              HasSubstr("part: num_groups 32 does not divide the 4 channels"));
  EXPECT_THAT(init_error(GroupNorm{.num_groups = 2, .group_size = 2}, x),
              HasSubstr("part: one of num_groups and group_size is needed"));
  EXPECT_THAT(init_error(GroupNorm{.num_groups = std::nullopt, .group_size = 3}, x),
              HasSubstr("part: group_size 3 does not divide"));
  EXPECT_THAT(init_error(GroupNorm{.num_groups = 2, .reduction_axes = 1}, x),
              HasSubstr("must have the last dimension"));
  EXPECT_THAT(init_error(InstanceNorm{.feature_axes = {0, 2}}, x),
              HasSubstr("must not have the first dimension"));
}

}  // namespace
}  // namespace kd::nn
