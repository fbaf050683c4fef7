// The code in the opening comments of headers about models; tests/docs_test.cc holds the headers
// to it.
#include <ATen/ops/ones.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>
#include <sstream>

#include "kd/einops/einops.h"
#include "kd/exports/engine/model.h"
#include "kd/model.h"
#include "kd/nn/engine/pool.h"
#include "kd/nn/engine/summary.h"
#include "kd/nn/models/transformer.h"
#include "kd/nn/module/keys.h"
#include "kd/nn/recurrent/recurrent.h"
#include "kd/nn/recurrent/rnn.h"
#include "kd/random/sample.h"
#include "kd/train/rng_streams.h"
#include "kd/typing/typing.h"

namespace headers_nn {

using namespace kd;

// module.h
struct Mlp : nn::Module<Mlp> {
  Key image = "batch.image";
  int hidden = 128;
  Tensor call(Float<"*b h w c"> image) const {
    Tensor y = nn::Dense{.features = hidden}(nn::flatten(image));
    return nn::Dense{.features = 10}(nn::relu(y));
  }
};

// nn.h
namespace nn_header {
struct Mlp : nn::Module<Mlp> {
  Key image = "batch.image";
  int hidden = 128;
  Tensor call(const Tensor& image) const {
    Tensor x = nn::relu(nn::Dense{.features = hidden}(nn::flatten(image)));
    return nn::Dense{.features = 10}(x);
  }
};
}  // namespace nn_header

// scope.h
struct Noisy : nn::Module<Noisy> {
  int features = 4;
  Tensor call(const Tensor& x) const {
    Tensor kernel = nn::param("kernel", {x.size(-1), features}, nn::initializers::LecunNormal{});
    Tensor y = x.matmul(kernel);
    if (is_training) y = y + random::normal(nn::make_rng("default"), y.sizes());
    interms["before_relu"] = y;
    return nn::relu(y);
  }
  static constexpr nn::TrainProperty is_training{};
  static constexpr nn::IntermsProperty interms{};
};

// initializer.h
struct Constant {
  double value = 0.01;
  Tensor make(const random::Key&, at::IntArrayRef shape, at::ScalarType dtype) const {
    return at::ones(shape, dtype) * value;
  }
};

// checked.h
Float<"*b n"> logits(Float<"*b h w c"> image, std::optional<Bool<"*b">> mask) {
  return nn::flatten(image) * (mask ? 0 : 1);
}
struct L2 {
  Key preds = Key::required();
  Key targets = Key::required();
  Float<"*a"> values(Float<"*a"> preds, Float<"*a"> targets) const {
    return (preds - targets).pow(2);
  }
};

}  // namespace headers_nn

using headers_nn::Constant;
using headers_nn::Mlp;
using NnHeaderMlp = headers_nn::nn_header::Mlp;
KD_COMPONENT(kd::Module, Mlp);
KD_COMPONENT(kd::Module, NnHeaderMlp);
KD_COMPONENT(kd::Initializer, Constant);

namespace headers_nn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(HeadersNn, Module) {
  const Mlp model;
  const Tensor image = at::ones({2, 4, 4, 1});
  Tree variables = model.init({.rngs = random::key(0)}, image);
  Tensor logits = model.apply(variables, {}, image);
  EXPECT_THAT(logits.sizes(), ElementsAre(2, 10));
  const Tensor same = NnHeaderMlp().apply(variables, {}, image);
  EXPECT_TRUE(same.equal(logits));
}

TEST(HeadersNn, Apply) {
  const Noisy model;
  const Tensor x = at::ones({2, 3});
  const std::int64_t step = 1;
  train::RngStreams streams{.stream_overwrites = {{.name = "mask", .eval = true}}, .seed = 42};
  Tree variables = model.init({.rngs = train::init_rngs(streams), .is_training_property = true}, x);
  auto [out, interms, changed] = model.apply(variables,
                                             {.rngs = train::train_rngs(streams, step),
                                              .is_training_property = true,
                                              .capture_intermediates = true,
                                              .mutable_collections = {"batch_stats"}},
                                             x);
  EXPECT_THAT(out.sizes(), ElementsAre(2, 4));
  EXPECT_NE(interms.find_values("before_relu"), nullptr);
}

TEST(HeadersNn, Shapes) {
  using namespace nn;
  {
    const Tensor image = at::ones({2, 8, 3, 1});
    EXPECT_THAT(rearrange(image, "b (h p) w c -> b h (p w c)", {{"p", 4}}).sizes(),
                ElementsAre(2, 2, 12));
    const Tensor tokens = at::ones({2, 5, 3});
    EXPECT_THAT(reduce(tokens, "... n d -> ... d", "mean").sizes(), ElementsAre(2, 3));
    const Tensor x = at::ones({2, 3});
    EXPECT_THAT(repeat(x, "b d -> b n d", {{"n", 7}}).sizes(), ElementsAre(2, 7, 3));
  }
  Tensor x = at::ones({1, 4, 4, 2});
  x = nn::max_pool(x, {.window_shape = {2, 2}, .strides = {2, 2}});
  EXPECT_THAT(x.sizes(), ElementsAre(1, 2, 2, 2));
}

TEST(HeadersNn, Initializer) {
  namespace initializers = nn::initializers;
  const random::Key key = random::key(0);
  Poly<Initializer> kernel_init = initializers::LecunNormal{};
  Tensor kernel = kernel_init(key, at::IntArrayRef({784, 128}), at::kFloat);
  EXPECT_THAT(kernel.sizes(), ElementsAre(784, 128));
  kernel_init = Constant{};
  EXPECT_FLOAT_EQ(kernel_init(key, at::IntArrayRef({1}), at::kFloat).item<float>(), 0.01f);
}

TEST(HeadersNn, Keys) {
  const Poly<Module> model = Mlp{};
  const Tree context =
      Tree::dict({{"batch", Tree::dict({{"image", Tree(at::ones({1, 2, 2, 1}))}})}});
  nn::Arguments args = nn::model_arguments(model, context);
  EXPECT_NE(args.find("image"), nullptr);
}

// A module of a few lines, to call others in.
struct Cells : nn::Module<Cells> {
  Tensor call(const Tensor& sequence) const {
    const Tensor state = at::ones({2, 32}), x = at::ones({2, 3});
    auto [next, y] = nn::GRUCell{.features = 32}(state, x);
    EXPECT_TRUE(next.equal(y));
    {
      const Tensor& x = sequence;
      Tensor y = nn::RNN{.cell = nn::GRUCell{.features = 32}}(x);
      EXPECT_THAT(y.sizes(), ElementsAre(2, 5, 32));
      return y;
    }
  }
};

TEST(HeadersNn, Recurrent) {
  const Tensor x = at::ones({2, 5, 3});
  const Tree variables = Cells().init({.rngs = random::key(0)}, x);
  EXPECT_TRUE(variables["params"].contains("GRUCell_0"));
}

TEST(HeadersNn, Transformer) {
  const auto block = nn::PreNormBlock::from_spec({.num_heads = 3, .mlp_size = 768});
  const Tree variables = block.init({.rngs = random::key(0)}, at::ones({1, 2, 6}));
  EXPECT_TRUE(variables["params"].contains("mlp"));
}

TEST(HeadersNn, Summary) {
  const Mlp model;
  const Tensor images = at::ones({2, 4, 4, 1});
  const Tree variables = model.init({.rngs = random::key(0)}, images);
  std::ostringstream text;
  auto* const console = std::cout.rdbuf(text.rdbuf());
  nn::CallList calls;
  model.apply(variables, {}, images);
  std::cout << nn::summary_text(calls, variables["params"], {.depth = 1});
  std::cout.rdbuf(console);
  EXPECT_THAT(text.str(), HasSubstr("Dense_0"));
}

TEST(HeadersNn, Typing) {
  using namespace typing;
  const Tensor image = at::ones({2, 2, 2, 1}), mask = at::ones({2}, at::kBool);
  EXPECT_EQ(checked<logits>(image, mask).sum().item<float>(), 0);
  const Mlp mlp;
  const Tree none;
  EXPECT_THROW(checked<&Mlp::call>(mlp, image), konfig::Error);  // a call outside of apply
  EXPECT_THROW(typing::checked<&Mlp::call>(mlp, image), konfig::Error);
  const L2 loss{.preds = "preds", .targets = "batch.x"};
  const Tree context = Tree::dict(
      {{"preds", Tree(at::ones({3}))}, {"batch", Tree::dict({{"x", Tree(at::ones({3}))}})}});
  const Tensor values = kontext::call_with_keys(context, loss, checked_member<&L2::values>(loss));
  EXPECT_EQ(values.sum().item<float>(), 0);
  auto f = checked_function(
      "f", [](Float<"n"> x) -> Float<"n"> { return 2 * x; });
  const Float<"n"> x = at::ones({2}), y = f(x);
  checked_values(x, y);
  auto g =
      checked_function("g", [](Float<"*b h">) -> Tensor { return at::zeros(shape<"*b h*2">()); });
  EXPECT_EQ(g(at::ones({3, 2})).size(1), 4);
}

TEST(HeadersNn, Random) {
  const std::uint32_t step = 3;
  random::Key root = random::key(42);
  auto [a, b] = random::split<2>(root);
  random::Key dropout = fold_in(fold_in(root, "dropout"), step);
  Tensor noise = random::normal(dropout, {8, 128});
  EXPECT_EQ(noise.numel(), 1024);
  const random::Key& key = a;
  Tensor kernel = random::normal(key, {784, 128});
  Tensor mask = random::bernoulli(key, {8, 128}, 0.9);
  Tensor order = random::permutation(key, 60000);
  EXPECT_EQ(order.numel(), 60000);
  EXPECT_FALSE(kernel.equal(random::normal(b, {784, 128})));
  EXPECT_EQ(mask.numel(), 1024);
}

}  // namespace
}  // namespace headers_nn
