#include "kd/problems/objectives.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include "kd/core/grad.h"
#include "kd/core/tree.h"

namespace kd::problems {
namespace {

// The value and the gradient of libtorch's own operations, bit for bit.
TEST(SquaredWeights, HasTheGradientOfASumOfSquares) {
  at::manual_seed(3);
  const Tree params =
      tracked(Tree::dict({{"kernel", at::randn({70, 33})}, {"bias", at::randn({33})}}));
  const Tensor &kernel = params.at("kernel").tensor(), &bias = params.at("bias").tensor();
  for (const bool mean : {false, true}) {
    const SquaredWeights loss{.factor = 0.3, .mean = mean};
    const Tensor ours = loss.get_values(params);
    const double factor = mean ? 0.3 / (71 * 33) : 0.3;
    const Tensor plain = (kernel.square().sum() + bias.square().sum()) * factor;
    EXPECT_EQ(ours.item<float>(), plain.item<float>());
    const Tree found = grad(ours, params), expected = grad(plain, params);
    for (const char* name : {"kernel", "bias"}) {
      EXPECT_TRUE(at::equal(found.at(name).tensor(), expected.at(name).tensor())) << name;
    }
  }
}

}  // namespace
}  // namespace kd::problems
