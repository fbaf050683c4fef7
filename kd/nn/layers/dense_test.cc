#include "kd/nn/layers/dense.h"

#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include "kd/nn/layers/layers_test.h"

namespace kd::nn {
namespace {

constexpr auto kDouble = DType::float64;

TEST(Dense, GradientsAreSlopes) {
  EXPECT_LT(module_gradient_error(Dense{.features = 3, .param_dtype = kDouble}, noise({2, 4})),
            1e-8);
  EXPECT_LT(module_gradient_error(Dense{.features = 3, .use_bias = false, .param_dtype = kDouble},
                                  noise({2, 2, 4})),
            1e-8);
}

TEST(DenseGeneral, GradientsAreSlopes) {
  initializers::Normal wide{.stddev = 1};
  for (auto& [axis, batch] : std::vector<std::pair<Ints, Ints>>{
           {-1, {}}, {{-2, -1}, {}}, {1, {}}, {-1, {0}}, {{1, 2}, {0}}}) {
    DenseGeneral layer{.features = {2, 3},
                       .axis = axis,
                       .batch_dims = batch,
                       .param_dtype = kDouble,
                       .bias_init = wide};
    EXPECT_LT(module_gradient_error(layer, noise({2, 3, 4})), 1e-8);
  }
}

TEST(Einsum, GradientsAreSlopes) {
  Einsum layer{.shape = {4, 2, 3}, .einsum_str = "...a,abc->...bc", .param_dtype = kDouble};
  EXPECT_LT(module_gradient_error(layer, noise({2, 4})), 1e-8);
}

TEST(Dense, TakesAnyBatch) {
  Dense layer{.features = 3};
  Tree variables = layer.init({.rngs = random::key(0)}, noise({4}, 0, at::kFloat));
  EXPECT_EQ(sizes(layer.apply(variables, {}, noise({4}, 0, at::kFloat)).out), Sizes({3}));
  EXPECT_EQ(sizes(layer.apply(variables, {}, noise({0, 4}, 0, at::kFloat)).out), Sizes({0, 3}));
  EXPECT_EQ(sizes(layer.apply(variables, {}, noise({2, 0, 4}, 0, at::kFloat)).out),
            Sizes({2, 0, 3}));
}

TEST(Dense, WithoutInputsOnlyTheBiasIsLeft) {
  Dense layer{.features = 2, .bias_init = initializers::ones()};
  Tensor x = at::zeros({3, 0});
  Tree variables = layer.init({.rngs = random::key(0)}, x);
  EXPECT_TRUE(Tensor(layer.apply(variables, {}, x).out).equal(at::ones({3, 2})));
}

TEST(Dense, ComputesInTheWantedType) {
  Tensor x = noise({2, 4}, 0, at::kFloat);
  auto type_of_result = [&](const Dense& layer, const Tensor& in) {
    Tree variables = layer.init({.rngs = random::key(0)}, in);
    return Tensor(layer.apply(variables, {}, in).out).scalar_type();
  };
  EXPECT_EQ(type_of_result({.features = 1, .dtype = DType::bfloat16}, x), at::kBFloat16);
  EXPECT_EQ(type_of_result({.features = 1}, x.to(at::kBFloat16)), at::kFloat);
  EXPECT_EQ(type_of_result({.features = 1}, x.to(at::kInt)), at::kFloat);
  EXPECT_EQ(type_of_result({.features = 1, .param_dtype = DType::bfloat16}, x.to(at::kBFloat16)),
            at::kBFloat16);
  EXPECT_THAT(init_error(Dense{.features = 1, .dtype = DType::int32}, x),
              HasSubstr("part: dtype is int32"));
}

TEST(Dense, ErrorsNameThePlace) {
  EXPECT_THAT(init_error(Dense{.features = 3}, at::ones({})),
              HasSubstr("part: the input is a single number"));
  EXPECT_THAT(init_error(Dense{.features = 0}, at::ones({2, 3})), HasSubstr("part: features is 0"));
  EXPECT_THAT(init_error(Dense{}, at::ones({2, 3})), HasSubstr("required field"));
  Holder<Dense> holder;
  holder.part = Dense{.features = 3};
  Tree variables = holder.init({.rngs = random::key(0)}, at::ones({2, 4}));
  EXPECT_THAT(error_of([&] {
                holder.apply(variables, {}, at::ones({2, 5}));
              }),
              HasSubstr("part: the parameter 'kernel' has shape (4, 3), this call needs (5, 3)"));
}

TEST(DenseGeneral, ErrorsNameThePlace) {
  Tensor x = at::ones({2, 3, 4});
  EXPECT_THAT(init_error(DenseGeneral{.features = 3, .axis = 3}, x),
              HasSubstr("part: axis 3 is out of range: the input has 3 dimension(s)"));
  EXPECT_THAT(init_error(DenseGeneral{.features = 3, .axis = {1, -2}}, x),
              HasSubstr("names a dimension twice"));
  EXPECT_THAT(init_error(DenseGeneral{.features = 3, .batch_dims = {1}}, x),
              HasSubstr("batch_dims (1,) must be the leading dimensions"));
  EXPECT_THAT(init_error(DenseGeneral{.features = 3, .axis = 0, .batch_dims = {0}}, x),
              HasSubstr("dimension 0 is in axis and batch_dims"));
}

TEST(Einsum, ErrorsNameThePlace) {
  Tensor x = at::ones({2, 4});
  auto with = [](const char* text) { return Einsum{.shape = {4, 3}, .einsum_str = text}; };
  EXPECT_THAT(init_error(with("ab,bc"), x), HasSubstr("part: einsum_str \"ab,bc\" must say"));
  EXPECT_THAT(init_error(with("ab->ab"), x), HasSubstr("must have two operands"));
  EXPECT_THAT(init_error(with("abc,bd->acd"), x), HasSubstr("names 3 dimensions as \"abc\""));
  EXPECT_THAT(init_error(Einsum{.shape = {4, 3}}, x), HasSubstr("neither to the layer nor"));
}

}  // namespace
}  // namespace kd::nn
