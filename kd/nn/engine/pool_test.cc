#include "kd/nn/engine/pool.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>

#include "kd/nn/layers/embed.h"
#include "kd/nn/layers/layers_test.h"
#include "kd/nn/layers/sequential.h"

namespace kd::nn {
namespace {

TEST(Pool, GradientsAreSlopes) {
  Tree at = Tree::dict({{"x", noise({2, 5, 4, 3})}});
  Pool how{.window_shape = {3, 2}, .strides = {2, 1}, .padding = "SAME"};
  using Function = Tensor (*)(const Tensor&, const Pool&);
  for (Function f : {Function(avg_pool), Function(max_pool), Function(min_pool)}) {
    EXPECT_LT(gradient_error([&](const Tree& t) { return f(t["x"].tensor(), how); }, at), 1e-7);
  }
  how.count_include_pad = false;
  EXPECT_LT(gradient_error([&](const Tree& t) { return avg_pool(t["x"].tensor(), how); }, at),
            1e-7);
}

TEST(Pool, EmptyBatches) {
  Pool how{.window_shape = {2, 2}, .strides = {2, 2}};
  EXPECT_EQ(sizes(max_pool(at::ones({0, 4, 6, 3}), how)), Sizes({0, 2, 3, 3}));
  EXPECT_EQ(sizes(avg_pool(at::ones({0, 4, 6, 3}), how)), Sizes({0, 2, 3, 3}));
}

TEST(Pool, ErrorsSayWhy) {
  Tensor x = at::ones({1, 4, 4, 2});
  EXPECT_THAT(error_of([&] {
                max_pool(x, {.window_shape = {2, 2, 2, 2}});
              }),
              HasSubstr("window_shape has 4 dimensions"));
  EXPECT_THAT(error_of([&] {
                max_pool(x, {.window_shape = {5, 5}});
              }),
              HasSubstr("reaches over 5 elements"));
  EXPECT_THAT(error_of([&] {
                avg_pool(x, {.window_shape = {2, 2}, .strides = {1}});
              }),
              HasSubstr("strides (1,)"));
}

TEST(Embed, GradientsAreSlopes) {
  Tensor ids = at::arange(6, at::kInt).remainder(4).view({2, 3});
  Embed layer{.num_embeddings = 4, .features = 3, .param_dtype = DType::float64};
  Tree variables = layer.init({.rngs = random::key(0)}, ids);
  EXPECT_LT(
      gradient_error([&](const Tree& t) { return Tensor(layer.apply(t, {}, ids).out); }, variables),
      1e-8);
}

TEST(Embed, ErrorsNameThePlace) {
  Embed layer{.num_embeddings = 4, .features = 3};
  EXPECT_THAT(init_error(layer, at::ones({2})), HasSubstr("part: the input must be whole numbers"));
  EXPECT_THAT(init_error(layer, at::arange(5, at::kInt)), HasSubstr("part: "));
}

TEST(LinenSequential, NeedsLayers) {
  EXPECT_THAT(init_error(linen::Sequential{}, at::ones({2, 3})),
              HasSubstr("part: a Sequential needs layers"));
}

TEST(PReLU, GradientsAreSlopes) {
  EXPECT_LT(module_gradient_error(PReLU{.param_dtype = DType::float64}, noise({3, 4})), 1e-7);
}

}  // namespace
}  // namespace kd::nn
