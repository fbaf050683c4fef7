#include "kd/core/grad.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kd/core/ops.h"
#include "konfig/error.h"

namespace kd {
namespace {

Tree params() {
  return tracked(Tree::dict({{"a", at::ones({2, 3})}, {"n", at::arange(3)}, {"z", at::ones({2})}}));
}

TEST(Grad, OfATree) {
  Tree p = params();
  Tree g = grad((p["a"].tensor() * p["a"].tensor() * p["n"].tensor()).sum(), p);
  EXPECT_TRUE(g["a"].tensor().equal((at::arange(3) * 2).to(at::kFloat).expand({2, 3})));
  EXPECT_EQ(g["z"].tensor().abs().sum().item<float>(), 0);  // not used
  EXPECT_EQ(g["n"].tensor().abs().sum().item<float>(), 0);  // whole numbers
  EXPECT_TRUE(params()["a"].tensor().requires_grad());
}

TEST(Grad, OfAConstant) {
  Tree p = params();
  Tree g = grad(at::ones({}), p);
  EXPECT_EQ(g["a"].tensor().abs().sum().item<float>(), 0);
}

TEST(Grad, Twice) {
  Tensor x = tracked(at::ones({1}) * 3);
  Tensor y = (x * x * x).sum();
  Tensor first = grad(y, std::vector<Tensor>{x}, {.differentiable = true})[0];
  EXPECT_EQ(first.item<float>(), 27);
  EXPECT_EQ(grad(first.sum(), std::vector<Tensor>{x})[0].item<float>(), 18);
}

TEST(Grad, NeedsOneNumber) {
  Tree p = params();
  EXPECT_THROW(grad(p["a"].tensor(), p), konfig::Error);
}

}  // namespace
}  // namespace kd
