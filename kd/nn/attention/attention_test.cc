#include "kd/nn/attention/attention.h"

#include <ATen/ops/ones.h>
#include <ATen/ops/tril.h>
#include <ATen/ops/zeros.h>

#include "kd/nn/layers/layers_test.h"

namespace kd::nn {
namespace {

constexpr auto kDouble = DType::float64;
using linen::AttentionArgs;
using linen::MultiHeadDotProductAttention;

TEST(Attention, GradientsAreSlopes) {
  initializers::Normal wide{.stddev = 1};
  MultiHeadDotProductAttention layer{
      .num_heads = 2, .param_dtype = kDouble, .bias_init = wide, .normalize_qk = true};
  EXPECT_LT(module_gradient_error(layer, noise({2, 3, 8})), 1e-6);
  EXPECT_LT(module_gradient_error(linen::SelfAttention{.num_heads = 2, .param_dtype = kDouble},
                                  noise({3, 4})),
            1e-6);
  MultiHeadDotProductAttention drops{
      .num_heads = 2, .param_dtype = kDouble, .dropout_rate = 0.3, .deterministic = false};
  EXPECT_LT(
      module_gradient_error(drops, noise({2, 3, 4}), {.rngs = Rngs({{"dropout", random::key(1)}})}),
      1e-6);
}

Tree inputs_of_function(Sizes q, Sizes k, Sizes v, Sizes bias) {
  return Tree::dict(
      {{"q", noise(q, 1)}, {"k", noise(k, 2)}, {"v", noise(v, 3)}, {"bias", noise(bias, 4)}});
}

TEST(DotProductAttention, GradientsAreSlopes) {
  Tree at = inputs_of_function({2, 3, 2, 4}, {2, 5, 2, 4}, {2, 5, 2, 3}, {2, 3, 5});
  Tensor mask = at::ones({3, 5}, at::kBool);
  mask[0] = false;  // this query sees nothing
  mask[1][2] = false;
  for (bool masked : {false, true}) {
    auto run = [&](const Tree& t) {
      AttentionArgs args{.bias = t["bias"].tensor()};
      if (masked) args.mask = mask;
      return linen::dot_product_attention(t["q"].tensor(), t["k"].tensor(), t["v"].tensor(), args);
    };
    EXPECT_LT(gradient_error(run, at), 1e-6);
  }
}

// One kernel and step by step.
TEST(DotProductAttention, BothWaysAgree) {
  Tensor q = noise({2, 3, 2, 4}, 1, at::kFloat), k = noise({2, 5, 2, 4}, 2, at::kFloat),
         v = noise({2, 5, 2, 4}, 3, at::kFloat);
  Tensor causal = at::ones({3, 5}, at::kBool).tril();
  for (const Sizes& shape : {Sizes{3, 5}, Sizes{1, 3, 5}, Sizes{2, 1, 3, 5}, Sizes{2, 2, 1, 5}}) {
    AttentionArgs args{.bias = noise(shape, 4, at::kFloat), .mask = causal};
    Tensor fused = linen::dot_product_attention(q, k, v, args);
    Tensor weights = linen::dot_product_attention_weights(q, k, args);
    Tensor plain = weights.matmul(v.transpose(1, 2)).transpose(1, 2);
    EXPECT_TRUE(fused.allclose(plain, 1e-5, 1e-6));
    EXPECT_TRUE(weights.sum(-1).allclose(at::ones({2, 2, 3})));
  }
}

TEST(DotProductAttention, EmptySequences) {
  Tensor q = at::ones({2, 0, 2, 4}), k = at::ones({2, 5, 2, 4});
  EXPECT_EQ(sizes(linen::dot_product_attention(q, k, k)), Sizes({2, 0, 2, 4}));
  Tensor none = at::ones({0, 3, 2, 4});
  EXPECT_EQ(sizes(linen::dot_product_attention(none, none, none)), Sizes({0, 3, 2, 4}));
}

TEST(Attention, ErrorsNameThePlace) {
  Tensor x = at::ones({2, 3, 4});
  EXPECT_THAT(init_error(MultiHeadDotProductAttention{.num_heads = 3}, x),
              HasSubstr("part: num_heads 3 does not divide the 4 features"));
  EXPECT_THAT(init_error(MultiHeadDotProductAttention{.num_heads = 2}, at::ones({4})),
              HasSubstr("part: inputs are (batch..., length, features), this is (4,)"));
  EXPECT_THAT(init_error(MultiHeadDotProductAttention{.num_heads = 2, .dropout_rate = 0.1}, x),
              HasSubstr("part: deterministic is given neither"));
  EXPECT_THAT(error_of([&] {
                linen::dot_product_attention(at::ones({2, 3, 2, 4}), at::ones({2, 3, 2, 5}),
                                             at::ones({2, 3, 2, 5}));
              }),
              HasSubstr("queries and keys do not fit: (2, 3, 2, 4) and (2, 3, 2, 5)"));
  MultiHeadDotProductAttention layer{.num_heads = 2};
  EXPECT_THAT(
      error_of([&] { layer.init({.rngs = random::key(0)}, x, no_tensor(), std::optional(x)); }),
      HasSubstr("inputs_v is given without inputs_k"));
}

TEST(Attention, WeightsAreSownOnDemand) {
  Tensor x = noise({2, 3, 4}, 0, at::kFloat);
  MultiHeadDotProductAttention layer{.num_heads = 2};
  Tree variables = layer.init({.rngs = random::key(0)}, x);
  for (bool wanted : {false, true}) {
    auto run =
        layer.apply(variables, {.capture_intermediates = true}, x, no_tensor(), no_tensor(),
                    no_tensor(), no_tensor(), std::nullopt, std::nullopt, std::optional(wanted));
    EXPECT_EQ(run.interms.find_values("attention_weights") != nullptr, wanted);
  }
}

// Position by position gives what the whole sequence with a causal mask gives.
TEST(Attention, DecodesStepByStep) {
  Tensor x = noise({2, 4, 6}, 0, at::kFloat);
  MultiHeadDotProductAttention whole{.num_heads = 2}, steps = whole;
  steps.decode = true;
  Tree variables = steps.init({.rngs = random::key(0)}, x);
  EXPECT_EQ(variables["cache"]["cache_index"].tensor().item<int>(), 0);
  Tree params = Tree::dict({{"params", variables["params"]}});
  Tensor mask = make_causal_mask(at::ones({2, 4}));
  Tensor wanted =
      whole.apply(params, {}, x, no_tensor(), no_tensor(), no_tensor(), std::optional(mask));
  for (std::int64_t t = 0; t < 4; ++t) {
    auto step = steps.apply(variables, {.mutable_collections = {"cache"}}, x.narrow(1, t, 1));
    EXPECT_TRUE(Tensor(step.out).allclose(wanted.narrow(1, t, 1), 1e-4, 1e-5)) << t;
    variables["cache"] = step.changed["cache"];
  }
  EXPECT_THAT(error_of([&] {
                steps.apply(variables, {.mutable_collections = {"cache"}}, x.narrow(1, 0, 1));
              }),
              HasSubstr("the cache is full: it holds 4 positions"));
  EXPECT_THAT(error_of([&] { steps.apply(variables, {.mutable_collections = {"cache"}}, x); }),
              HasSubstr("decode takes one position"));
}

TEST(Masks, CombineAndFail) {
  Tensor a = at::ones({1, 1, 2, 2}), b = at::zeros({1, 1, 2, 2});
  EXPECT_TRUE(combine_masks({a, Tensor(), b}).equal(b));
  EXPECT_FALSE(combine_masks({Tensor()}).defined());
  EXPECT_THAT(error_of([&] {
                combine_masks({a, at::ones({2, 2})});
              }),
              HasSubstr("masks of different rank"));
  EXPECT_EQ(sizes(make_causal_mask(at::ones({2, 3}), 2)), Sizes({1, 1, 2, 1, 3, 3}));
}

}  // namespace
}  // namespace kd::nn
