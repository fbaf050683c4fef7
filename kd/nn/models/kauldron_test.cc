// Kauldron's own modules: what they pass on, and what they refuse.
#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kd/nn/components.h"
#include "kd/nn/engine/scope.h"
#include "kd/nn/gradients_test.h"
#include "kd/nn/module/invoke.h"
#include "kd/nn/module/keys.h"
#include "konfig/config.h"
#include "konfig/expect_test.h"
#include "konfig/konfig.h"
#include "kontext/get.h"

namespace kd::nn {
namespace {

// Several results, of which the next layer gets several arguments.
struct Halves : Module<Halves> {
  std::tuple<Tensor, Tensor> call(const Tensor& x) const { return {x * 0.5, x * 2}; }
};
struct Subtract : Module<Subtract> {
  static constexpr std::string_view call_names[] = {"a", "b"};
  Tensor call(const Tensor& a, const Tensor& b) const { return a - b; }
};
struct Sides {
  Tensor b, a;
};
struct NamedHalves : Module<NamedHalves> {
  Sides call(const Tensor& x) const { return {.b = x * 2, .a = x * 0.5}; }
};
struct Dicts : Module<Dicts> {
  Tree call(const Tensor& x) const { return Tree::dict({{"a", x}, {"b", x * 3}}); }
};

// A model for ReadoutWrapper.
struct Features : Module<Features> {
  Key image = "batch.image";
  bool reserved = false;
  Tree call(const Tensor& image) const {
    Tensor y = named("dense", Dense{.features = 3})(image);
    return Tree::dict({{reserved ? "readouts" : "features", y}});
  }
};

}  // namespace
}  // namespace kd::nn

KD_COMPONENT(kd::Module, kd::nn::Halves);
KD_COMPONENT(kd::Module, kd::nn::Subtract);
KD_COMPONENT(kd::Module, kd::nn::NamedHalves);
KD_COMPONENT(kd::Module, kd::nn::Dicts);
KD_COMPONENT(kd::Module, kd::nn::Features);

namespace kd::nn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using konfig::error_of;

std::vector<std::string> paths(const Tree& tree) {
  std::vector<std::string> out;
  for (auto& [path, tensor] : flatten(tree)) out.push_back(path);
  return out;
}

const With kInit{.rngs = random::key(7)};

TEST(FlatAutoencoder, GivesBackTheShapeUnderTheInputsName) {
  FlatAutoencoder model{
      .inputs = "batch.image", .encoder = Dense{.features = 3}, .decoder = Dense{.features = 12}};
  Tensor x = random::normal(random::key(0), {2, 2, 3, 2});
  Tree variables = model.init(kInit, x);
  Tree out = model.apply(variables, {}, x);
  EXPECT_THAT(out["image"].tensor().sizes(), ElementsAre(2, 2, 3, 2));
  model.inputs = "step.x";
  out = model.apply(variables, {}, x);
  EXPECT_TRUE(out.contains("step.x"));
  model.decoder = Dense{.features = 11};
  EXPECT_THAT(error_of([&] { model.init(kInit, x); }), HasSubstr("cannot become"));
}

TEST(Sequential, HandsOverTuplesAndDicts) {
  Tensor x = at::ones({2});
  auto run = [&](std::vector<Layer> layers) -> Tensor {
    return Sequential{.layers = std::move(layers)}.apply(Tree(), {}, x).out;
  };
  EXPECT_EQ(run({Halves{}, Subtract{}})[0].item<float>(), -1.5);
  EXPECT_EQ(run({NamedHalves{}, Subtract{}})[0].item<float>(), -1.5);
  EXPECT_EQ(run({Dicts{}, Subtract{}})[0].item<float>(), -2);
  EXPECT_EQ(run({Dicts{}, Subtract{}, "flax.linen:relu"})[0].item<float>(), 0);
  EXPECT_TRUE(at::equal(run({}), x));
  EXPECT_THAT(error_of([&] {
                run({Halves{}, "flax.linen:relu"});
              }),
              HasSubstr("layer 1 (flax.linen:relu): one argument is needed, 2 are given"));
}

TEST(Sequential, Outputs) {
  Sequential model{.layers = {"flax.linen:relu"}, .inputs = "batch.x", .outputs = "y"};
  Tensor x = at::ones({2});
  auto applied = model.apply(Tree(), {.capture_intermediates = true}, x);
  EXPECT_TRUE(at::equal(kontext::get_by_path(applied.out.tree(), "y").to<Tensor>(), x));
  EXPECT_TRUE(at::equal(kontext::get_by_path(applied.interms, "__call__[0].y").to<Tensor>(), x));
  EXPECT_THAT(error_of([&] { model.apply(Tree(), {}, x, x); }), HasSubstr("one argument"));
}

// Repeated blocks have parameters of their own, down to their parts.
TEST(Sequential, RepeatedLayers) {
  SequentialRepeats repeats{.layer = PreNormBlock::from_spec({.num_heads = 1, .mlp_size = 2}),
                            .repeats = 2,
                            .suffix = {Dense{.features = 2}}};
  auto check = [&](const Sequential& model, std::size_t layers, std::int64_t params) {
    Tree variables = model.init(kInit, at::ones({1, 2, 4}));
    EXPECT_EQ(variables["params"].size(), layers);
    EXPECT_EQ(count(variables["params"]), params);
  };
  std::int64_t block = 4 * (16 + 4) + 2 * 4 + 2 * 8 + (8 + 2) + (8 + 4);
  check(Sequential::from_repeated(repeats), 3, 2 * block + 10);
  repeats.shared_weights = true;
  check(Sequential::from_repeated(repeats), 2, block + 10);

  auto config = konfig::lower(konfig::Config<SequentialRepeats>(repeats));
  check(*konfig::resolve<Sequential>(config), 2, block + 10);
  config["shared_weights"] = false;
  check(*konfig::resolve<Sequential>(config), 3, 2 * block + 10);
}

TEST(Wrapper, AddsNoNameAndForwardsKeys) {
  FlatAutoencoder inner{
      .inputs = "batch.x", .encoder = Dense{.features = 3}, .decoder = Dense{.features = 4}};
  Poly<kd::Module> model = WrapperModule{.model = inner};
  Tensor x = at::ones({2, 4});
  Tree variables = initialize(model, kInit, x);
  EXPECT_THAT(paths(variables["params"]),
              ElementsAre("decoder.bias", "decoder.kernel", "encoder.bias", "encoder.kernel"));
  EXPECT_TRUE(is_key_annotated(model));
  EXPECT_TRUE(konfig::Value(keypaths(model)) ==
              konfig::Value(kontext::KeyPaths{{"inputs", "batch.x"}}));

  Poly<kd::Module> external = ExternalModule{.model = model, .keys = {{"inputs", "batch.y"}}};
  EXPECT_TRUE(konfig::Value(keypaths(external)) ==
              konfig::Value(kontext::KeyPaths{{"inputs", "batch.y"}}));
  external = ExternalModule{.model = model, .keys = "batch.z"};
  EXPECT_TRUE(konfig::Value(keypaths(external)) ==
              konfig::Value(kontext::KeyPaths{{"__args__", "batch.z"}}));
  Tree batch = Tree::dict({{"z", Tree(x)}});
  std::map<std::string, kontext::TreeRef> context{{"batch", batch}};
  Arguments args = model_arguments(external, context);
  Tree again = initialize([&] { return call_module(external, args); }, kInit);
  EXPECT_EQ(paths(again), paths(variables));
}

TEST(Wrapper, ModelsWithoutKeysGetTheBatch) {
  Poly<kd::Module> model = Dense{.features = 2};
  EXPECT_FALSE(is_key_annotated(model));
  Tree batch = Tree::dict({{"z", Tree(at::ones({1}))}});
  std::map<std::string, kontext::TreeRef> context{{"batch", batch}};
  Arguments args = model_arguments(model, context);
  ASSERT_EQ(args.positional.size(), 1U);
  EXPECT_TRUE(args.positional[0].to<Tree>().contains("z"));
}

// nn.Dense(features=2, name="enc")
TEST(Named, ConfigsNameModulesAsInFlax) {
  auto dense = [](int features) {
    return konfig::call("flax.linen:Dense", {{"features", features}});
  };
  konfig::ConfigDict encoder = dense(2);
  encoder["name"] = "enc";
  const auto node =
      konfig::call("kauldron.kd:nn.FlatAutoencoder",
                   {{"inputs", "batch.image"}, {"encoder", encoder}, {"decoder", dense(9)}});
  const auto model = konfig::resolve<FlatAutoencoder>(node);
  const Tensor image = at::ones({2, 3, 3, 1});
  const Tree variables = model->init(kInit, image);
  EXPECT_THAT(paths(variables["params"]),
              ElementsAre("decoder.bias", "decoder.kernel", "enc.bias", "enc.kernel"));
  const Tree out = model->apply(variables, {.is_training_property = false}, image).out;
  EXPECT_EQ(out["image"].tensor().sizes(), image.sizes());
  konfig::ConfigDict wrong = dense(2);
  wrong["nam"] = "enc";
  EXPECT_THROW(konfig::resolve(konfig::Value(wrong)), konfig::Error);
}

TEST(Readout, HeadsLearnTheModelDoesNot) {
  ReadoutWrapper model{
      .model = Features{},
      .readout_heads = {{"a", Dense{.features = 2}}, {"b", Dense{.features = 1}}},
      .readout_inputs = {{"a", {{{"inputs", "preds.features"}}}},
                         {"b", {{{"inputs", "interms.model.dense.__call__[0]"}}}}}};
  Poly<kd::Module> poly = model;
  EXPECT_TRUE(konfig::Value(keypaths(poly)) ==
              konfig::Value(kontext::KeyPaths{{"model_image", "batch.image"}}));
  Arguments args{.keywords = {{"model_image", kontext::TreeRef::own(Tensor(at::ones({2, 4})))}}};
  auto run = [&] { return call_module(poly, args); };
  Tree variables = initialize(run, {.rngs = random::key(0), .capture_intermediates = true});
  EXPECT_THAT(
      paths(variables["params"]),
      ElementsAre("model.dense.bias", "model.dense.kernel", "readout_heads_a.bias",
                  "readout_heads_a.kernel", "readout_heads_b.bias", "readout_heads_b.kernel"));

  auto gradient_of_model = [&](bool finetune) {
    model.finetune = finetune;
    poly = model;
    Tree given = tracked(variables);
    Tree out = apply(run, given, {.capture_intermediates = true}).out.to<Tree>();
    EXPECT_THAT(out["features"].tensor().sizes(), ElementsAre(2, 3));
    EXPECT_THAT(out["readouts"]["a"].tensor().sizes(), ElementsAre(2, 2));
    Tensor loss = out["readouts"]["a"].tensor().sum() + out["readouts"]["b"].tensor().sum();
    return grad(loss, given)["params"]["model"]["dense"]["kernel"]
        .tensor()
        .abs()
        .sum()
        .item<float>();
  };
  EXPECT_EQ(gradient_of_model(false), 0);
  EXPECT_GT(gradient_of_model(true), 0);
  EXPECT_EQ(error_of([&] { initialize(run, kInit); }), "");  // heads ask for what they read

  model.model = Features{.reserved = true};
  poly = model;
  EXPECT_THAT(error_of([&] { initialize(run, kInit); }), HasSubstr("reserved for the heads"));
  model.model = Sequential{.layers = {"flax.linen:relu"}, .inputs = "batch.image"};
  poly = model;
  args.keywords[0].first = "model_inputs";
  EXPECT_THAT(error_of([&] { initialize(run, kInit); }), HasSubstr("must give a dict"));
  model.readout_inputs = {};
  poly = model;
  EXPECT_THAT(error_of([&] { keypaths(poly); }), HasSubstr("no entry for the head 'a'"));
}

TEST(Embeddings, AxesAndErrors) {
  auto shape = [](const Ints& axis) {
    Tree variables = LearnedEmbedding{}.init(kInit, Shape{2, 3, 5, 4}, axis);
    return variables["params"]["embeddings"].tensor().sizes().vec();
  };
  EXPECT_THAT(shape(-2), ElementsAre(5, 4));
  EXPECT_THAT(shape(Ints{-3, -2}), ElementsAre(3, 5, 4));
  EXPECT_THAT(shape(-3), ElementsAre(3, 1, 4));
  EXPECT_THAT(error_of([&] { shape(-1); }), HasSubstr("always included"));
  EXPECT_THAT(error_of([&] { shape(1); }), HasSubstr("counts from the start"));
  EXPECT_THAT(error_of([&] { shape(-5); }), HasSubstr("-5"));
  EXPECT_THAT(error_of([&] { shape(Ints{}); }), HasSubstr("empty"));

  Tree at = FourierEmbedding{.num_fourier_bases = 2}.init(kInit, Shape{3, 2}, Ints(-2));
  EXPECT_LT(
      gradient_error(
          [](const Tree& t) -> Tensor {
            return FourierEmbedding{.num_fourier_bases = 2}.apply(t, {}, Shape{3, 2}, Ints(-2)).out;
          },
          at),
      1e-6);
}

TEST(Patchify, CutsAnImageIntoRows) {
  Tensor image = random::normal(random::key(0), {2, 4, 6, 2});
  Tensor patches = Patchify{.patch_size = PatchSize{2, 3}}.apply(Tree(), {}, image);
  EXPECT_THAT(patches.sizes(), ElementsAre(2, 4, 12));
  EXPECT_TRUE(at::equal(patches[1][3].reshape({2, 3, 2}), image[1].slice(0, 2, 4).slice(1, 3, 6)));
  // The same patches, linearly mapped.
  PatchifyEmbed embed{.patch_size = PatchSize{2, 3}, .hidden_size = 5};
  Tree variables = embed.init(kInit, image);
  auto& layer = variables["params"]["patchifier"];
  Tensor tokens = embed.apply(variables, {}, image);
  EXPECT_TRUE(at::allclose(
      tokens, patches.matmul(layer["kernel"].tensor().reshape({12, 5})) + layer["bias"].tensor(),
      1e-5, 1e-5));
  EXPECT_THAT(error_of([&] {
                Patchify{.patch_size = PatchSize{3, 3}}.apply(Tree(), {}, image);
              }),
              HasSubstr("does not fit"));
}

TEST(Dropout, OnlyInTraining) {
  Tensor x = at::ones({64, 8});
  Dropout dropout{.rate = 0.25};
  Tensor y = dropout.apply(Tree(), {.is_training_property = false}, x);
  EXPECT_TRUE(at::equal(x, y));
  With training{.rngs = {{"dropout", random::key(1)}}, .is_training_property = true};
  y = dropout.apply(Tree(), training, x);
  double kept = (y != 0).to(at::kFloat).mean().item<double>();
  EXPECT_NEAR(kept, 0.75, 0.1);
  EXPECT_FLOAT_EQ(y.max().item<float>(), 1 / 0.75F);
  EXPECT_TRUE(at::equal(y, dropout.apply(Tree(), training, x).out));
  EXPECT_THAT(error_of([&] { dropout.apply(Tree(), {.is_training_property = true}, x); }),
              HasSubstr("'dropout'"));
  dropout.deterministic = true;
  EXPECT_THAT(error_of([&] { dropout.apply(Tree(), training, x); }), HasSubstr("deterministic"));
}

TEST(Identity, TakesAnything) {
  Tensor x = at::ones({2});
  auto applied = Identity{}.apply(Tree(), {}, x, 3);
  EXPECT_TRUE(at::equal(applied.out.to<Tensor>(), x));
  EXPECT_THAT(error_of([&] { Identity{}.apply(Tree(), {}); }), HasSubstr("'inputs'"));
  Tree logits = DummyModel{}.apply(Tree(), {});
  EXPECT_EQ(logits["logits"].tensor().item<float>(), 42);
}

}  // namespace
}  // namespace kd::nn
