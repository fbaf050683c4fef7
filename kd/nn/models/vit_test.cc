#include "kd/nn/models/vit.h"

#include <ATen/ops/allclose.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kd/nn/engine/scope.h"
#include "kd/nn/gradients_test.h"
#include "konfig/config.h"
#include "konfig/expect_test.h"
#include "konfig/konfig.h"
#include "kontext/get.h"

namespace kd::nn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using konfig::error_of;

const With kInit{.rngs = random::key(7)};

VitSpec small() {
  return {.num_heads = 2, .hidden_size = 8, .num_layers = 2, .patch_size = 2, .mlp_size = 6};
}

TEST(Vit, VariantsHaveTheirSizes) {
  auto encoder = VitEncoder::from_variant_str({.variant_str = "ViT-Ti/4"});
  EXPECT_EQ(encoder.layers.size(), 12U);
  auto& block = encoder.layers[0].as<PreNormBlock>();
  EXPECT_EQ(block.attention.as<ImprovedMultiHeadDotProductAttention>().num_heads, 3);
  EXPECT_EQ(block.mlp.as<TransformerMLP>().hidden_size, 768);
  EXPECT_EQ(encoder.embedding.as<PatchifyEmbed>().patch_size.value(), (PatchSize{4, 4}));
  EXPECT_EQ(encoder.embedding.as<PatchifyEmbed>().hidden_size, 192);

  for (const char* name : {"mu", "S", "M", "B", "L", "H", "g", "G", "e", "vit_B", "VIT-L"}) {
    EXPECT_FALSE(
        VitEncoder::from_variant_str({.variant_str = name, .patch_size = 16}).layers.empty());
  }
  auto wide = VitEncoder::from_variant_str({.variant_str = "mu/2", .num_layers = 3});
  EXPECT_EQ(wide.layers.size(), 3U);
}

TEST(Vit, WrongVariants) {
  auto error = [](const char* variant) {
    return error_of([&] { VitEncoder::from_variant_str({.variant_str = variant}); });
  };
  EXPECT_THAT(error("ViT-X/4"), HasSubstr("there is no size 'X'"));
  EXPECT_THAT(error("ViT-B16"), HasSubstr("\"ViT-B16\" is no variant"));
  EXPECT_THAT(error("B/x"), HasSubstr("no variant"));
  EXPECT_THAT(error("B"), HasSubstr("patch_size: missing"));
  EXPECT_THAT(error(""), HasSubstr("no variant"));
}

TEST(Vit, ConfigsNameTheConstructors) {
  konfig::Config<Vit> cfg;
  cfg.encoder = VitVariant{.variant_str = "mu/4",
                           .block_type = "kauldron.kd:nn.ParallelAttentionBlock",
                           .prepend_cls_token = true};
  cfg.mode = VitMode::cls_token;
  cfg.image = "batch.image";
  konfig::ConfigDict config = konfig::lower(cfg);
  EXPECT_EQ(config["encoder"]["__qualname__"].as<std::string>(),
            "kauldron.kd:nn.VitEncoder.from_variant_str");
  auto vit = konfig::resolve<Vit>(konfig::config_from_json(konfig::to_json(config)));
  auto& encoder = vit->encoder.as<VitEncoder>();
  EXPECT_TRUE(encoder.layers.at(0).holds<ParallelAttentionBlock>());
  EXPECT_TRUE(encoder.prepend_cls_token);
  EXPECT_EQ(vit->mode, VitMode::cls_token);

  config["encoder"]["block_type"] = konfig::parse_py("kd.nn.PreNormBlok");
  EXPECT_THAT(error_of([&] { konfig::resolve<Vit>(config); }), HasSubstr("PreNormBlo"));
}

TEST(Vit, Modes) {
  Tensor image = random::normal(random::key(1), {2, 4, 6, 1});
  VitSpec spec = small();
  Vit gap{.encoder = VitEncoder::from_spec(spec), .num_classes = 3};
  Tree variables = gap.init(kInit, image);
  Tree out = gap.apply(variables, {}, image);
  EXPECT_THAT(out["logits"].tensor().sizes(), ElementsAre(2, 3));

  Vit forced = gap;
  forced.mode = VitMode::cls_token_forced;
  Tree first = forced.apply(variables, {}, image);
  EXPECT_FALSE(at::allclose(out["logits"].tensor(), first["logits"].tensor()));

  Vit cls = gap;
  cls.mode = VitMode::cls_token;
  EXPECT_THAT(error_of([&] { cls.apply(variables, {}, image); }), HasSubstr("prepend_cls_token"));
  spec.prepend_cls_token = true;
  cls.encoder = VitEncoder::from_spec(spec);
  Tree with_token = cls.init(kInit, image);
  EXPECT_TRUE(with_token["params"]["encoder"].contains("cls"));
  EXPECT_THAT(error_of([&] {
                gap.init(kInit, at::zeros({4, 4}));
              }),
              HasSubstr("(*b, h, w, c), got (4, 4)"));
}

// As many tokens as features: the reference's own check of shapes fails here.
TEST(Vit, AsManyTokensAsFeatures) {
  VitSpec spec = small();
  spec.hidden_size = 4;
  Vit model{.encoder = VitEncoder::from_spec(spec), .num_classes = 3};
  Tree variables = model.init(kInit, at::zeros({2, 4, 4, 1}));
  Tree out = model.apply(variables, {}, at::zeros({2, 4, 4, 1}));
  EXPECT_THAT(out["logits"].tensor().sizes(), ElementsAre(2, 3));
}

TEST(Vit, AutoEncoderGivesTheImagesShape) {
  Tensor image = random::normal(random::key(1), {2, 4, 6, 1});
  VitAutoEncoder model{.encoder = VitEncoder::from_spec(small())};
  Tree variables = model.init(kInit, image);
  Tree out = model.apply(variables, {}, image);
  EXPECT_THAT(out["image"].tensor().sizes(), ElementsAre(2, 4, 6, 1));
}

// Recorded and not recorded calls take different ways to the same result.
TEST(Attention, WithAndWithoutWeights) {
  Tensor x = random::normal(random::key(1), {2, 3, 5, 8});
  Tensor mask = random::bernoulli(random::key(2), {2, 3, 1, 5, 5}, 0.6);
  mask.select(-2, 0).fill_(false);  // a query that may look at nothing
  Tensor bias = random::normal(random::key(3), {2, 5, 5});
  ImprovedMultiHeadDotProductAttention attention{.num_heads = 2, .qk_features = 12};
  Tree variables = attention.init(kInit, x);
  for (bool with_mask : {false, true}) {
    for (bool with_bias : {false, true}) {
      auto m = with_mask ? std::optional(mask) : std::nullopt;
      auto b = with_bias ? std::optional(bias) : std::nullopt;
      auto recorded = attention.apply(variables, {.capture_intermediates = true}, x, no_tensor(),
                                      no_tensor(), b, m);
      Tensor plain = attention.apply(variables, {}, x, no_tensor(), no_tensor(), b, m).out;
      EXPECT_TRUE(at::allclose(recorded.out, plain, 1e-5, 1e-6)) << with_mask << with_bias;
      Tensor weights = kontext::get_by_path(recorded.interms, "attn_weights[0]").to<Tensor>();
      EXPECT_THAT(weights.sizes(), ElementsAre(2, 3, 2, 5, 5));
      EXPECT_TRUE(at::allclose(weights.sum(-1), at::ones({2, 3, 2, 5})));
    }
  }
}

TEST(Attention, SoftmaxOverQueriesAndOverBoth) {
  Tensor x = random::normal(random::key(1), {2, 5, 8});
  for (const Ints& axis : {Ints(-2), Ints{-2, -1}}) {
    ImprovedMultiHeadDotProductAttention attention{.num_heads = 2, .softmax_axis = axis};
    Tree variables = attention.init(kInit, x);
    auto applied = attention.apply(variables, {.capture_intermediates = true}, x);
    Tensor weights = kontext::get_by_path(applied.interms, "attn_weights[0]").to<Tensor>();
    Tensor sums = weights.sum(axis.list());
    EXPECT_TRUE(at::allclose(sums, at::ones(sums.sizes())));
  }
}

TEST(Attention, Gradients) {
  Tree at = Tree::dict({{"q", Tree(random::normal(random::key(1), {2, 3, 4}))},
                        {"k", Tree(random::normal(random::key(2), {2, 5, 3}))},
                        {"bias", Tree(random::normal(random::key(3), {2, 3, 5}))}});
  std::optional<Tensor> mask = random::bernoulli(random::key(4), {2, 1, 3, 5}, 0.7);
  for (std::int64_t axis : {-1, -2}) {
    ImprovedMultiHeadDotProductAttention attention{
        .num_heads = 2, .softmax_axis = axis, .normalize_qk = true};
    Tree params = attention.init(kInit, at["q"].tensor(), at["k"].tensor());
    at["params"] = params["params"];
    for (bool recorded : {false, true}) {
      auto run = [&](const Tree& t) -> Tensor {
        return attention
            .apply(Tree::dict({{"params", t["params"]}}), {.capture_intermediates = recorded},
                   t["q"].tensor(), t["k"].tensor(), no_tensor(), std::optional(t["bias"].tensor()),
                   mask)
            .out;
      };
      EXPECT_LT(gradient_error(run, at), 1e-6) << axis << recorded;
    }
  }
}

TEST(Attention, Errors) {
  Tensor x = at::zeros({1, 2, 4});
  EXPECT_THAT(
      error_of([&] { ImprovedMultiHeadDotProductAttention{.num_heads = 3}.init(kInit, x); }),
      HasSubstr("num_heads=3 must divide qk_features=4"));
  ImprovedMultiHeadDotProductAttention attention{.num_heads = 2, .v_features = 3};
  EXPECT_THAT(error_of([&] { attention.init(kInit, x); }), HasSubstr("must divide v_features=3"));
  attention.v_features = {};
  EXPECT_THAT(error_of([&] { attention.init(kInit, x, no_tensor(), x); }),
              HasSubstr("inputs_v is given without inputs_k"));
  attention.decode = true;
  EXPECT_THAT(error_of([&] { attention.init(kInit, x); }),
              HasSubstr("decode must be False: this attention keeps no cache; use "
                        "kd.nn.MultiHeadDotProductAttention"));
}

TEST(Transformer, Gradients) {
  Tensor x = random::normal(random::key(1), {1, 3, 4}, at::kDouble);
  auto check = [&](auto block) {
    Tree variables = block.init(kInit, x.to(at::kFloat));
    Tree at = Tree::dict({{"params", variables["params"]}, {"x", x}});
    EXPECT_LT(gradient_error(
                  [&](const Tree& t) -> Tensor {
                    Tree given = Tree::dict({{"params", t["params"]}});
                    return block.apply(given, {}, t["x"].tensor()).out;
                  },
                  at),
              1e-6);
  };
  check(PreNormBlock::from_spec({.num_heads = 2, .mlp_size = 5}));
  check(PostNormBlock::from_spec({.num_heads = 2, .mlp_size = 5, .normalize_qk = false}));
  check(ParallelAttentionBlock::from_spec({.num_heads = 1}));
}

TEST(Transformer, SpecsReachTheParts) {
  auto block =
      PreNormBlock::from_spec({.num_heads = 2,
                               .attn_kwargs = AttentionOptions{.qk_features = 8, .use_bias = false},
                               .mlp_kwargs = MlpOptions{.activation_fn = "flax.linen:relu"},
                               .mlp_norm = RMSNorm{}});
  auto& attention = block.attention.as<ImprovedMultiHeadDotProductAttention>();
  EXPECT_EQ(attention.qk_features, 8);
  EXPECT_FALSE(attention.use_bias);
  EXPECT_TRUE(attention.normalize_qk);
  EXPECT_EQ(block.mlp.as<TransformerMLP>().activation_fn.qualname, "flax.linen:relu");
  EXPECT_TRUE(block.attention_norm.holds<LayerNorm>());
  EXPECT_TRUE(block.mlp_norm.holds<RMSNorm>());
}

}  // namespace
}  // namespace kd::nn
