#include "kd/nn/initializers/initializers.h"

#include <ATen/ops/eye.h>
#include <ATen/ops/ones.h>

#include <cmath>

#include "kd/nn/layers/layers_test.h"
#include "konfig/konfig.h"

namespace kd::nn::initializers {
namespace {

Tensor make(const Poly<Initializer>& init, Sizes shape, at::ScalarType type = at::kFloat) {
  return init(random::key(5), shape, type);
}

TEST(Initializers, SpreadAsTheySay) {
  auto spread = [](const Poly<Initializer>& init) {
    return make(init, {200, 300}).std().item<double>();
  };
  EXPECT_NEAR(spread(LecunNormal{}), 1 / std::sqrt(200), 1e-3);
  EXPECT_NEAR(spread(LecunUniform{}), 1 / std::sqrt(200), 1e-3);
  EXPECT_NEAR(spread(GlorotNormal{}), 1 / std::sqrt(250), 1e-3);
  EXPECT_NEAR(spread(HeUniform{}), std::sqrt(2.0 / 200), 1e-3);
  EXPECT_NEAR(spread(Normal{.stddev = 0.3}), 0.3, 1e-2);
  EXPECT_NEAR(spread(LecunNormal{.in_axis = -1, .out_axis = -2}), 1 / std::sqrt(300), 1e-3);
}

TEST(Initializers, OrthogonalColumns) {
  Tensor q = make(Orthogonal{}, {5, 3}, at::kDouble);
  EXPECT_TRUE(q.t().mm(q).allclose(at::eye(3, at::kDouble), 1e-9, 1e-9));
  Tensor wide = make(Orthogonal{.scale = 2}, {3, 5}, at::kDouble);
  EXPECT_TRUE(wide.mm(wide.t()).allclose(4 * at::eye(3, at::kDouble), 1e-9, 1e-9));
  Tensor other = make(Orthogonal{.column_axis = 0}, {3, 2, 5}, at::kDouble).view({3, 10});
  EXPECT_TRUE(other.mm(other.t()).allclose(at::eye(3, at::kDouble), 1e-9, 1e-9));
}

TEST(Initializers, EmptyParameters) {
  EXPECT_EQ(sizes(make(LecunNormal{}, {0, 3})), Sizes({0, 3}));
  EXPECT_EQ(sizes(make(Zeros{}, {0})), Sizes({0}));
}

TEST(Initializers, ErrorsSayWhy) {
  EXPECT_THAT(error_of([] { make(LecunNormal{}, {3}); }),
              HasSubstr("the number of inputs of a parameter of shape (3,) is not known"));
  EXPECT_THAT(error_of([] { make(Orthogonal{}, {3}); }), HasSubstr("Orthogonal makes no"));
  EXPECT_THAT(error_of([] {
                make(DeltaOrthogonal{}, {3, 3, 4, 2});
              }),
              HasSubstr("as many outputs as inputs at least"));
  EXPECT_THAT(error_of([] {
                make(LecunNormal{.batch_axis = 4}, {3, 2});
              }),
              HasSubstr("batch_axis 4 is out of range"));
}

TEST(Initializers, DefaultsAreSharedUntilWritten) {
  Dense a{.features = 1}, b{.features = 1};
  EXPECT_TRUE(a.kernel_init.same(b.kernel_init));
  a.kernel_init.as<LecunNormal>().in_axis = -1;
  EXPECT_FALSE(a.kernel_init.same(b.kernel_init));
  EXPECT_TRUE(b.kernel_init.as<LecunNormal>().in_axis == Ints(-2));
}

TEST(Initializers, ConfigsKnowThemByAllNames) {
  auto load = [](const std::string& json) {
    return konfig::load<Poly<Initializer>>(
        konfig::resolve(konfig::Value(konfig::config_from_json(json))));
  };
  EXPECT_TRUE(
      load(R"({"__qualname__": "jax.nn:initializers.xavier_uniform"})").holds<GlorotUniform>());
  EXPECT_TRUE(load(R"({"__const__": "flax.linen:initializers.zeros"})").holds<Zeros>());
  EXPECT_EQ(load(R"({"__qualname__": "jax.nn:initializers.normal", "0": 0.5})").as<Normal>().stddev,
            0.5);
  auto scaled = load(R"({"__qualname__": "flax.linen:initializers.variance_scaling", "scale": 2.0,
                         "mode": "fan_out", "distribution": "normal", "in_axis": [0, 1]})");
  EXPECT_EQ(*scaled.as<VarianceScaling>().mode, Mode::fan_out);
  EXPECT_THAT(error_of([&] {
                load(R"({"__qualname__": "flax.linen:initializers.variance_scaling", "scale": 1.0,
                         "mode": "fan_inn", "distribution": "normal"})");
              }),
              HasSubstr("fan_in"));
}

TEST(DTypes, AreNamesOrConstants) {
  auto load = [](const std::string& json) {
    auto cfg = konfig::config_from_json(R"({"__qualname__": "flax.linen:Dense", "features": 1,
                                            "param_dtype": )" +
                                        json + "}");
    return konfig::resolve<Dense>(cfg)->param_dtype;
  };
  EXPECT_EQ(load(R"("bfloat16")"), DType::bfloat16);
  EXPECT_EQ(load(R"({"__const__": "jax.numpy:float16"})"), DType::float16);
  EXPECT_EQ(load(R"({"__const__": "builtins:float"})"), DType::float32);
  EXPECT_THAT(error_of([&] { load(R"("float33")"); }), HasSubstr("float32"));
}

}  // namespace
}  // namespace kd::nn::initializers
