// The modules of the introduction, "Keys and Context", and of "Train, eval, randomness", block
// "Train / eval in Module".
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include "kd/nn/engine/nn.h"
#include "kd/nn/module/keys.h"
#include "kd/typing/typing.h"

namespace my_project {

using kd::Tensor;
namespace nn = kd::nn;

struct AutoEncoder : nn::Module<AutoEncoder> {
  kd::Key input = kd::Key::required();  // what the call gets

  kd::Float<"*b h w c"> call(kd::Float<"*b h w c"> input) const {
    Tensor code = nn::named("encoder", nn::Dense{.features = 4})(nn::flatten(input));
    return nn::named("decoder", nn::Dense{.features = 9})(code).reshape(input.sizes());
  }
};

struct MyModel : nn::Module<MyModel> {
  static constexpr nn::TrainProperty is_training{};  // reads what init or apply was given

  Tensor call(const Tensor& x) const {
    Tensor y = x;
    if (is_training) {
      auto rng = nn::make_rng("default");
      y = kd::random::choice(rng, y, {});
    }
    // Dropout follows the property by itself: no `deterministic` to hand down.
    return nn::Dropout{.rate = 0.5}(y);
  }
};

struct MyModule : nn::Module<MyModule> {
  kd::Poly<kd::Module> pretrained_encoder = {};

  Tensor call(const Tensor& x) const {
    nn::set_train_property frozen(false);
    return pretrained_encoder(x);
  }
};

}  // namespace my_project
KD_COMPONENT(kd::Module, my_project::AutoEncoder);
KD_COMPONENT(kd::Module, my_project::MyModel);

namespace {

using kd::Tensor;
using kd::Tree;
using my_project::MyModel;
using my_project::MyModule;
namespace random_keys = kd::random;

// for batch in ds: preds = model(input=batch['image'])
TEST(Seeds, KeysOfAModel) {
  const kd::Poly<kd::Module> model = my_project::AutoEncoder{.input = "batch.image"};
  const Tree context = Tree::dict({{"batch", Tree::dict({{"image", at::ones({2, 3, 3, 1})}})}});
  const kd::nn::Arguments args = kd::nn::model_arguments(model, context);
  const my_project::AutoEncoder& module = model.as<my_project::AutoEncoder>();
  const Tree params =
      module.init({.rngs = random_keys::key(0)}, args.keywords.at(0).second.to<Tensor>());
  const Tensor preds = module.apply(params, {}, at::ones({2, 3, 3, 1})).out;
  EXPECT_EQ(preds.sizes(), (std::vector<std::int64_t>{2, 3, 3, 1}));
}

TEST(Seeds, TrainProperty) {
  Tensor x = random_keys::normal(random_keys::key(0), {4, 3});
  MyModel model;
  kd::nn::Rngs rngs{{"params", random_keys::key(1)},
                    {"dropout", random_keys::key(2)},
                    {"default", random_keys::key(3)}};
  Tree params = model.init({.rngs = rngs, .is_training_property = true}, x);

  Tensor y = model.apply(params, {.is_training_property = false}, x);  // eval
  EXPECT_TRUE(at::equal(y, x));

  y = model.apply(params, {.rngs = rngs, .is_training_property = true}, x);  // train
  EXPECT_EQ(y.sizes(), x[0].sizes());  // one row of x, half of it dropped and the rest doubled
  bool found = false;
  for (int row = 0; row < 4; ++row) found |= at::equal(y, x[row] * 2 * (y != 0));
  EXPECT_TRUE(found);
}

TEST(Seeds, SetTrainProperty) {
  Tensor x = at::ones({4, 3});
  MyModule model{.pretrained_encoder = MyModel{}};
  Tensor y = model.apply(Tree(), {.is_training_property = true}, x);
  EXPECT_TRUE(at::equal(y, x));  // the encoder is not in training, and needs no random keys
}

}  // namespace
