// The examples of docs/nn.md.
#include <ATen/ops/ones.h>

#include "kd/core/grad.h"
#include "kd/nn/layers/layers_test.h"
#include "konfig/konfig.h"

namespace {

using namespace kd;

struct Cnn : nn::Module<Cnn> {
  Key image = "batch.image";
  int features = 16;
  Poly<kd::Module> head = nn::Dense{.features = 10};
  nn::Activation activation = "flax.linen:relu";

  Tensor call(const Tensor& image) const {
    Tensor x = nn::Conv{.features = features, .kernel_size = {3, 3}}(image);
    x = nn::max_pool(activation(x), {.window_shape = {2, 2}, .strides = {2, 2}});
    x = nn::named("norm", nn::LayerNorm{})(nn::flatten(x));
    return head(nn::Dropout{.rate = 0.1}(x));
  }
};

}  // namespace

KD_COMPONENT(kd::Module, Cnn);

namespace {

using ::testing::ElementsAre;

TEST(NnGuide, WritingAndRunningAModel) {
  Cnn model;
  Tensor images = nn::noise({2, 8, 8, 1}, 0, at::kFloat);
  Tree variables = model.init({.rngs = random::key(0), .is_training_property = false}, images);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < variables["params"].size(); ++i) {
    names.push_back(variables["params"].name(i));
  }
  EXPECT_THAT(names, ElementsAre("Conv_0", "head", "norm"));
  Tensor logits = model.apply(variables, {.is_training_property = false}, images);
  EXPECT_EQ(nn::sizes(logits), nn::Sizes({2, 10}));

  auto [out, interms, changed] = model.apply(variables,
                                             {.rngs = {{"dropout", random::key(1)}},
                                              .is_training_property = true,
                                              .capture_intermediates = true,
                                              .mutable_collections = {"batch_stats"}},
                                             images);
  EXPECT_FALSE(Tensor(out).equal(logits)) << "dropout";
  EXPECT_NE(interms.find_child("head"), nullptr);
}

TEST(NnGuide, Gradients) {
  Cnn model;
  Tensor images = nn::noise({2, 8, 8, 1}, 0, at::kFloat);
  nn::With with{.is_training_property = false};
  Tree params = tracked(
      model.init({.rngs = random::key(0), .is_training_property = false}, images)["params"]);
  Tensor logits = model.apply(Tree::dict({{"params", params}}), with, images);
  Tree grads = grad((logits * logits).sum(), params);
  EXPECT_GT(grads["Conv_0"]["kernel"].tensor().abs().sum().item<float>(), 0);
}

TEST(NnGuide, ConfigsNameTheModel) {
  auto cfg = konfig::config_from_json(
      R"({"__qualname__": "__main__:Cnn", "features": 4, "activation": {"__const__": "jax.nn:gelu"},
          "head": {"__qualname__": "flax.linen:Dense", "features": 3}})");
  auto model = konfig::load<Poly<Module>>(konfig::resolve(konfig::Value(cfg)));
  EXPECT_EQ(model.as<Cnn>().head.as<nn::Dense>().features, 3);
}

}  // namespace
