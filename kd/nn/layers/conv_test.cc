#include "kd/nn/layers/conv.h"

#include <ATen/ops/ones.h>

#include "kd/nn/layers/layers_test.h"

namespace kd::nn {
namespace {

constexpr auto kDouble = DType::float64;

TEST(Conv, GradientsAreSlopes) {
  Tensor image = noise({2, 4, 5, 2});
  auto error = [&](Conv layer) {
    layer.param_dtype = kDouble;
    return module_gradient_error(layer, image);
  };
  EXPECT_LT(error({.features = 3, .kernel_size = {3, 3}}), 1e-7);
  EXPECT_LT(error({.features = 3, .kernel_size = {2, 2}, .strides = 2, .padding = "VALID"}), 1e-7);
  EXPECT_LT(error({.features = 3, .kernel_size = {3, 2}, .padding = "CIRCULAR"}), 1e-7);
  EXPECT_LT(error({.features = 3, .kernel_size = {3, 2}, .padding = "REFLECT"}), 1e-7);
  EXPECT_LT(error({.features = 3, .kernel_size = {3, 3}, .padding = {{1, 0}, {-1, 2}}}), 1e-7);
  EXPECT_LT(error({.features = 4, .kernel_size = {3, 3}, .feature_group_count = 2}), 1e-7);
  EXPECT_LT(error({.features = 4,
                   .kernel_size = {3, 2},
                   .strides = {2, 1},
                   .padding = {{2, 1}, {0, 3}},
                   .input_dilation = {2, 3},
                   .kernel_dilation = {1, 2},
                   .feature_group_count = 2}),
            1e-7);
}

TEST(Conv, GradientsInOneAndThreeDimensions) {
  Conv line{.features = 2, .kernel_size = 3, .padding = "CAUSAL", .param_dtype = kDouble};
  EXPECT_LT(module_gradient_error(line, noise({2, 5, 2})), 1e-7);
  Conv volume{.features = 2, .kernel_size = {2, 2, 2}, .param_dtype = kDouble};
  EXPECT_LT(module_gradient_error(volume, noise({1, 3, 2, 3, 2})), 1e-7);
}

TEST(ConvLocal, GradientsAreSlopes) {
  ConvLocal layer{.features = 2,
                  .kernel_size = {2, 2},
                  .strides = {1, 2},
                  .input_dilation = {2, 1},
                  .kernel_dilation = {1, 2},
                  .param_dtype = kDouble};
  EXPECT_LT(module_gradient_error(layer, noise({2, 3, 4, 2})), 1e-7);
}

TEST(ConvTranspose, GradientsAreSlopes) {
  for (const char* padding : {"SAME", "VALID", "CIRCULAR"}) {
    for (bool transposed : {false, true}) {
      ConvTranspose layer{.features = 2,
                          .kernel_size = {3, 2},
                          .strides = {2, 1},
                          .padding = padding,
                          .param_dtype = kDouble,
                          .transpose_kernel = transposed};
      EXPECT_LT(module_gradient_error(layer, noise({2, 3, 4, 2})), 1e-7) << padding;
    }
  }
}

TEST(Conv, EmptyBatchesAndPlaces) {
  Conv layer{.features = 3, .kernel_size = {3, 3}, .strides = 2};
  Tree variables = layer.init({.rngs = random::key(0)}, at::ones({1, 5, 5, 2}));
  auto run = [&](Sizes shape) { return Tensor(layer.apply(variables, {}, at::ones(shape)).out); };
  EXPECT_EQ(sizes(run({0, 5, 5, 2})), Sizes({0, 3, 3, 3}));
  EXPECT_EQ(sizes(run({2, 0, 5, 2})), Sizes({2, 0, 3, 3}));
  EXPECT_EQ(sizes(run({5, 5, 2})), Sizes({3, 3, 3}));
  EXPECT_EQ(sizes(run({2, 3, 5, 5, 2})), Sizes({2, 3, 3, 3, 3}));
}

TEST(Conv, ResultsAreContiguousAsTheUserSeesThem) {
  Conv layer{.features = 3, .kernel_size = {3, 3}};
  Tensor x = noise({2, 5, 5, 4}, 0, at::kFloat);
  Tree variables = layer.init({.rngs = random::key(0)}, x);
  EXPECT_TRUE(Tensor(layer.apply(variables, {}, x).out).is_contiguous());
}

TEST(Conv, ErrorsNameThePlace) {
  Tensor x = at::ones({1, 4, 4, 3});
  Conv usual{.features = 2, .kernel_size = {3, 3}};
  auto with = [&](auto change) {
    Conv layer = usual;
    change(layer);
    return init_error(layer, x);
  };
  EXPECT_THAT(init_error(usual, at::ones({4, 3})), HasSubstr("part: the input (4, 3) needs 2"));
  EXPECT_THAT(with([](Conv& c) { c.feature_group_count = 2; }),
              HasSubstr("part: feature_group_count 2 must divide the 3 input channels"));
  EXPECT_THAT(with([](Conv& c) { c.padding = "FULL"; }), HasSubstr("padding \"FULL\""));
  EXPECT_THAT(with([](Conv& c) { c.padding = "CAUSAL"; }), HasSubstr("one dimension"));
  EXPECT_THAT(with([](Conv& c) { c.padding = {{1, 1}}; }), HasSubstr("padding has 1 entries"));
  EXPECT_THAT(with([](Conv& c) {
                c.strides = {1, 1, 1};
              }),
              HasSubstr("strides (1, 1, 1) must have as many entries as the window: 2"));
  EXPECT_THAT(with([](Conv& c) { c.strides = 0; }), HasSubstr("must be positive"));
  EXPECT_THAT(with([](Conv& c) {
                c.kernel_size = {5, 5}, c.padding = "VALID";
              }),
              HasSubstr("the window reaches over 5 elements of dimension 0, which has 4"));
}

TEST(ConvTranspose, ErrorsNameThePlace) {
  ConvTranspose layer{.features = 2, .kernel_size = {3, 3}, .padding = "REFLECT"};
  EXPECT_THAT(init_error(layer, at::ones({1, 4, 4, 3})), HasSubstr("part: padding \"REFLECT\""));
}

}  // namespace
}  // namespace kd::nn
