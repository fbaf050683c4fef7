#include "kd/nn/models/precision.h"

#include <ATen/ops/ones.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kd/core/ops.h"
#include "kd/nn/engine/apply.h"
#include "kd/nn/layers/dense.h"
#include "kontext/get.h"

namespace kd::nn {
namespace {

using ::testing::ElementsAre;

TEST(MixedPrecision, ComputesShortAndKeepsLong) {
  Poly<kd::Module> model = MixedPrecision{.model = Dense{.features = 3}};
  Tree variables = initialize(model, {.rngs = random::key(0)}, at::ones({2, 4}));
  std::vector<std::string> paths;
  for (auto& [path, tensor] : flatten(variables)) {
    paths.push_back(path);
    EXPECT_EQ(tensor.scalar_type(), at::kFloat);
  }
  EXPECT_THAT(paths, ElementsAre("params.bias", "params.kernel"));

  auto applied = apply(model, variables, {.capture_intermediates = true}, at::ones({2, 4}));
  Tensor out = applied.out;
  EXPECT_EQ(out.scalar_type(), at::kFloat);
  // The inner call comes first: both share one scope.
  EXPECT_EQ(kontext::get_by_path(applied.interms, "__call__[0]").to<Tensor>().scalar_type(),
            at::kBFloat16);
  EXPECT_EQ(kontext::get_by_path(applied.interms, "__call__[1]").to<Tensor>().scalar_type(),
            at::kFloat);
}

TEST(MixedPrecision, ALayersOwnTypeWins) {
  Poly<kd::Module> model = MixedPrecision{.model = Dense{.features = 3, .dtype = DType::float64}};
  Tree variables = initialize(model, {.rngs = random::key(0)}, at::ones({2, 4}));
  auto applied = apply(model, variables, {.capture_intermediates = true}, at::ones({2, 4}));
  EXPECT_EQ(kontext::get_by_path(applied.interms, "__call__[0]").to<Tensor>().scalar_type(),
            at::kDouble);
}

}  // namespace
}  // namespace kd::nn
