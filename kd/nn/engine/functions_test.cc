#include "kd/nn/engine/functions.h"

#include <ATen/ops/gelu.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>

#include "kd/nn/layers/layers_test.h"
#include "konfig/callable.h"

namespace kd::nn {
namespace {

using Unary = Tensor (*)(const Tensor&);

double slope_error(const std::function<Tensor(const Tensor&)>& f, const Tensor& x) {
  return gradient_error([&](const Tree& t) { return f(t["x"].tensor()); }, Tree::dict({{"x", x}}),
                        40);
}

TEST(Functions, GradientsAreSlopes) {
  // Away from the corners.
  Tensor x = at::linspace(-5.03, 4.87, 40, at::kDouble);
  for (Unary f : {Unary(relu),      Unary(relu6),        Unary(gelu),      Unary(silu),
                  Unary(swish),     Unary(mish),         Unary(sigmoid),   Unary(nn::tanh),
                  Unary(softplus),  Unary(squareplus),   Unary(soft_sign), Unary(log_sigmoid),
                  Unary(elu),       Unary(celu),         Unary(selu),      Unary(leaky_relu),
                  Unary(hard_tanh), Unary(hard_sigmoid), Unary(hard_silu), Unary(hard_swish),
                  Unary(identity)}) {
    EXPECT_LT(slope_error(f, x), 1e-7);
  }
  Tensor rows = noise({3, 4});
  EXPECT_LT(slope_error([](auto& t) { return nn::softmax(t, 0); }, rows), 1e-7);
  EXPECT_LT(slope_error([](auto& t) { return nn::log_softmax(t); }, rows), 1e-7);
  EXPECT_LT(slope_error([](auto& t) { return nn::logsumexp(t); }, rows), 1e-7);
  EXPECT_LT(slope_error([](auto& t) { return nn::glu(t); }, rows), 1e-7);
  EXPECT_LT(slope_error([](auto& t) { return nn::standardize(t); }, rows), 1e-7);
  EXPECT_LT(slope_error([](auto& t) { return nn::gelu(t, false); }, x), 1e-7);
}

TEST(Gelu, TheFastKernelIsTheFormula) {
  for (std::int64_t n : {0, 1, 7, 8, 1000, 50001}) {
    Tensor x = tracked(noise({n}, 1, at::kFloat) * 3), dy = noise({n}, 2, at::kFloat);
    Tensor exact = tracked(x.detach().to(at::kDouble));
    Tensor y = nn::gelu(x), wanted = at::gelu(exact, "tanh");
    EXPECT_TRUE(y.to(at::kDouble).allclose(wanted, 1e-5, 1e-6)) << n;
    Tensor dx = grad((y * dy).sum(), std::vector{x})[0];
    Tensor wanted_dx = grad((wanted * dy).sum(), std::vector{exact})[0];
    EXPECT_TRUE(dx.to(at::kDouble).allclose(wanted_dx, 1e-5, 1e-5)) << n;
  }
}

TEST(Gelu, FarOutItIsExact) {
  Tensor x = at::tensor({-1e30, -30.0, 0.0, 30.0, 1e30}, at::kFloat);
  EXPECT_TRUE(nn::gelu(x).equal(at::tensor({0.0, 0.0, 0.0, 30.0, 1e30}, at::kFloat)));
}

TEST(Gelu, TakesAnyLayoutAndHasASecondGradient) {
  Tensor x = tracked(noise({4, 3}, 1, at::kFloat));
  EXPECT_TRUE(nn::gelu(x.t()).equal(nn::gelu(x).t()));
  Tensor first = grad(nn::gelu(x).sum(), std::vector{x}, {.differentiable = true})[0];
  Tensor wanted = grad(at::gelu(x, "tanh").sum(), std::vector{x}, {.differentiable = true})[0];
  EXPECT_TRUE(first.allclose(wanted, 1e-5, 1e-6));
  Tensor second = grad(first.sum(), std::vector{x})[0];
  EXPECT_TRUE(second.allclose(grad(wanted.sum(), std::vector{x})[0], 1e-4, 1e-5));
}

TEST(Softmax, CanLeaveElementsOut) {
  Tensor x = at::tensor({1.0, 2.0, 3.0}, at::kFloat);
  Tensor where = at::tensor({1, 0, 1}, at::kInt).to(at::kBool);
  Tensor y = nn::softmax(x, -1, where);
  EXPECT_EQ(y[1].item<float>(), 0);
  EXPECT_NEAR(y.sum().item<float>(), 1, 1e-6);
  EXPECT_NEAR(nn::log_softmax(x, -1, where).exp().sum().item<float>(), 1, 1e-6);
}

TEST(OneHot, OutOfRangeIsZero) {
  Tensor y = nn::one_hot(at::tensor({1, 3, -1}, at::kInt), 3);
  EXPECT_TRUE(y.sum(-1).equal(at::tensor({1.0, 0.0, 0.0}, at::kFloat)));
  EXPECT_EQ(sizes(nn::one_hot(at::tensor({1, 2}, at::kLong), 4, DType::bfloat16, 0)),
            Sizes({4, 2}));
}

TEST(Flatten, KeepsWhatIsBefore) {
  EXPECT_EQ(sizes(nn::flatten(at::ones({2, 3, 4}))), Sizes({2, 12}));
  EXPECT_EQ(sizes(nn::flatten(at::ones({2, 3, 4}), 0)), Sizes({24}));
  EXPECT_EQ(sizes(nn::flatten(at::ones({2}))), Sizes({2, 1}));
  EXPECT_EQ(sizes(nn::flatten(at::ones({0, 3, 4}))), Sizes({0, 12}));
}

TEST(Functions, ErrorsSayWhy) {
  EXPECT_THAT(error_of([] { nn::glu(at::ones({3})); }), HasSubstr("odd size: 3"));
}

TEST(Functions, ConfigsKnowThemByName) {
  Activation f = "jax.nn:hard_swish";
  Tensor x = noise({5}, 0, at::kFloat);
  EXPECT_TRUE(f(x).equal(nn::hard_silu(x)));
  EXPECT_THAT(error_of([&] { Activation("flax.linen:rely")(x); }), HasSubstr("flax.linen:relu"));
}

}  // namespace
}  // namespace kd::nn
