#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kd/core/ops.h"
#include "kd/nn/engine/scope.h"
#include "kd/nn/initializers/initializers.h"
#include "kd/nn/module/invoke.h"
#include "kd/typing/typing.h"
#include "konfig/expect_test.h"
#include "konfig/resolve.h"
#include "kontext/kontext.h"

namespace kd::nn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Adds a parameter to its input.
struct Add : Module<Add> {
  int features = 2;
  Tensor call(const Tensor& x) const {
    return x + param("bias", {features}, [&](const random::Key&) { return at::ones({features}); });
  }
};

// Multiplies by a parameter that a config's field makes.
struct Gain : Module<Gain> {
  Poly<Initializer> scale_init = initializers::ones();
  Tensor call(const Tensor& x) const { return x * param("scale", {}, scale_init); }
};

struct Inline : Module<Inline> {
  Tensor call(const Tensor& x) const {
    Tensor y = Add{}(Add{}(x));
    Add twice;
    y = twice(twice(y));
    y = named("tail", Add{})(y);
    for (int i = 0; i < 2; ++i) {
      Add in_loop;
      y = in_loop(y);
    }
    return y;
  }
};

struct Chain : Module<Chain> {
  std::vector<Poly<kd::Module>> layers = {};
  Out call(const Arguments& args) const {
    Out out(args.positional.at(0));
    for (auto& layer : layers) out = layer(out);
    return out;
  }
};

struct Parent : Module<Parent> {
  Poly<kd::Module> encoder = {};
  std::vector<Poly<kd::Module>> layers = {};
  Map<Poly<kd::Module>> heads = {};
  Add plain = {};
  Tensor call(const Tensor& x) const {
    Tensor y = encoder(x);
    for (auto& layer : layers) y = layer(y);
    for (auto& [name, head] : heads) y = head(y);
    return plain(y);
  }
};

struct InlineChain : Module<InlineChain> {
  Tensor call(const Tensor& x) const {
    Tensor y = Add{}(x);
    y = Chain{.layers = {Add{}, Add{}}}(y);
    return Add{}(y);
  }
};

struct Trains : Module<Trains> {
  static constexpr TrainProperty is_training{};
  Tensor call(const Tensor& x) const {
    bool outer = is_training;
    set_train_property flipped(!outer);
    return x + (is_training ? 1.0 : 0.0) + (outer ? 10.0 : 0.0);
  }
};

struct Interesting : Module<Interesting> {
  static constexpr IntermsProperty interms{};
  Tensor call(const Tensor& x) const {
    interms["h"] = x;
    interms["h"] = x * 2;
    Tensor y = interms["h"];
    y = named("sub", Add{})(y);
    return y + interms.get_by_path(".sub.__call__[0]").as<Tensor>();
  }
};

struct Counter : Module<Counter> {
  Tensor call(const Tensor& x) const {
    Variable n = variable("state", "n", [] { return at::zeros({}); });
    if (!is_initializing()) n.set(n.get() + 1);
    return x + n.get();
  }
};

struct Keyed : Module<Keyed> {
  Key image = "batch.image";
  std::optional<Key> mask = {};
  Tensor call(const Tensor& image, const std::optional<Tensor>& mask) const {
    return mask ? image * *mask : image;
  }
};

struct ForgetsOne : Module<ForgetsOne> {
  Key image = "batch.image";
  Key other = "batch.other";
  Tensor call(const Tensor& image) const { return image; }
};

struct Shaped : Module<Shaped> {
  Float<"*b"> call(Float<"*b 3"> x) const { return x.sum(-1); }
};

struct Unused : Module<Unused> {
  Poly<kd::Module> left_out = {};
  Tensor call(const Tensor& x) const { return x; }
};

struct Fails : Module<Fails> {
  Tensor call(const Tensor& x) const { return x.view({-1, 7}); }
};

}  // namespace
}  // namespace kd::nn

KD_COMPONENT(kd::Module, kd::nn::Add);
KD_COMPONENT(kd::Module, kd::nn::Chain);
KD_COMPONENT(kd::Module, kd::nn::ForgetsOne);
KD_COMPONENT(kd::Module, kd::nn::Parent);
KD_COMPONENT(kd::Module, kd::nn::Keyed);
KD_COMPONENT(kd::Module, kd::nn::Fails);

namespace kd::nn {
namespace {

std::vector<std::string> paths(const Tree& tree) {
  std::vector<std::string> out;
  for (auto& [path, tensor] : flatten(tree)) out.push_back(path);
  return out;
}

using konfig::error_of;

const With kWith{.rngs = random::Key{}};

TEST(Module, NamesByTypeAndNumber) {
  Inline model;
  Tree variables = model.init(kWith, at::zeros({2}));
  EXPECT_THAT(paths(variables),
              ElementsAre("params.Add_0.bias", "params.Add_1.bias", "params.Add_2.bias",
                          "params.Add_3.bias", "params.Add_4.bias", "params.tail.bias"));
  Tensor y = model.apply(variables, {}, at::zeros({2}));
  EXPECT_EQ(y[0].item<float>(), 7);
}

TEST(Module, AFieldMakesAParameter) {
  const Tree variables = Gain{}.init(kWith, at::ones({2}));
  EXPECT_THAT(paths(variables), ElementsAre("params.scale"));
  EXPECT_EQ(variables["params"]["scale"].tensor().item<float>(), 1);
}

TEST(Module, NamesByField) {
  auto shared = node(Add{});
  Parent model{.encoder = shared, .layers = {Add{}, Add{}, shared}, .heads = {{"a", Add{}}}};
  Tree variables = model.init(kWith, at::zeros({2}));
  EXPECT_THAT(paths(variables),
              ElementsAre("params.encoder.bias", "params.heads_a.bias", "params.layers_0.bias",
                          "params.layers_1.bias", "params.plain.bias"));
  Tensor y = model.apply(variables, {}, at::zeros({2}));
  EXPECT_EQ(y[0].item<float>(), 6);
}

TEST(Module, FieldsOfInlineModulesBelongToTheParent) {
  Tree variables = InlineChain{}.init(kWith, at::zeros({2}));
  EXPECT_THAT(paths(variables), ElementsAre("params.Add_0.bias", "params.Add_1.bias",
                                            "params.Add_2.bias", "params.Add_3.bias"));
}

TEST(Module, ThroughPoly) {
  Poly<kd::Module> model = Chain{.layers = {Add{}, Chain{.layers = {Add{}}}}};
  Tree variables = initialize(model, kWith, at::zeros({2}));
  EXPECT_THAT(paths(variables),
              ElementsAre("params.layers_0.bias", "params.layers_1.layers_0.bias"));
  auto applied = apply(model, variables, {.capture_intermediates = true}, at::zeros({2}));
  Tensor y = applied.out;
  EXPECT_EQ(y[0].item<float>(), 2);
  auto interm = [&](const char* path) {
    return kontext::get_by_path(applied.interms, path).to<Tensor>()[0].item<float>();
  };
  EXPECT_EQ(interm("layers_0.__call__[0]"), 1);
  EXPECT_EQ(interm("layers_1.layers_0.__call__[0]"), 2);
  EXPECT_EQ(interm("__call__[0]"), 2);
}

TEST(Module, TrainProperty) {
  auto run = [](bool training) {
    Tensor y = Trains{}.apply(Tree(), {.is_training_property = training}, at::zeros({}));
    return y.item<float>();
  };
  EXPECT_EQ(run(true), 10);
  EXPECT_EQ(run(false), 1);
  EXPECT_THAT(error_of([] { Trains{}.apply(Tree(), {}, at::zeros({})); }), HasSubstr("not set"));
  EXPECT_THAT(error_of([] {
                bool b = Trains::is_training;
                (void)b;
              }),
              HasSubstr("outside"));
}

TEST(Module, Interms) {
  Interesting model;
  Tree variables =
      model.init({.rngs = random::Key{}, .capture_intermediates = true}, at::ones({2}));
  auto applied = model.apply(variables, {.capture_intermediates = true}, at::ones({2}));
  EXPECT_EQ(applied.out[0].item<float>(), 6);
  EXPECT_EQ(kontext::get_by_path(applied.interms, "h[0]").to<Tensor>()[0].item<float>(), 1);
  EXPECT_EQ(kontext::get_by_path(applied.interms, "h[1]").to<Tensor>()[0].item<float>(), 2);
  EXPECT_THAT(error_of([&] { model.apply(variables, {}, at::ones({2})); }),
              HasSubstr("not captured"));
}

TEST(Module, Collections) {
  Counter model;
  Tree variables = model.init(kWith, at::zeros({}));
  EXPECT_THAT(paths(variables), ElementsAre("state.n"));
  auto applied = model.apply(variables, {.mutable_collections = {"state"}}, at::zeros({}));
  EXPECT_EQ(applied.changed["state"]["n"].tensor().item<float>(), 1);
  EXPECT_EQ(variables["state"]["n"].tensor().item<float>(), 0);
  EXPECT_THAT(error_of([&] { model.apply(variables, {}, at::zeros({})); }), HasSubstr("mutable"));
}

TEST(Module, ArgumentsByName) {
  Poly<kd::Module> model = Keyed{};
  Arguments args{.keywords = {{"mask", kontext::TreeRef::own(Tensor(at::zeros({2})))},
                              {"image", kontext::TreeRef::own(Tensor(at::ones({2})))}}};
  const Tree none;
  detail::RunGuard run(false, none, {});
  Tensor y = call_module(model, args);
  EXPECT_EQ(y.sum().item<float>(), 0);
  y = model(at::ones({2}));
  EXPECT_EQ(y.sum().item<float>(), 2);
  args.keywords[0].first = "maks";
  EXPECT_THAT(error_of([&] { call_module(model, args); }), HasSubstr("did you mean 'mask'"));
  EXPECT_THAT(error_of([&] { call_module(model, {}); }), HasSubstr("needs 'image'"));
  EXPECT_THAT(error_of([&] { model(at::ones({1}), at::ones({1}), at::ones({1})); }),
              HasSubstr("takes 2 argument(s), it was given 3"));
}

TEST(Module, AKeyWithoutAParameter) {
  Poly<kd::Module> model = ForgetsOne{};
  const Tree none;
  detail::RunGuard run(false, none, {});
  const kontext::TreeRef value = kontext::TreeRef::own(Tensor(at::zeros({2})));
  EXPECT_THAT(error_of([&] {
                call_module(model, {.keywords = {{"image", value}, {"other", value}}});
              }),
              HasSubstr("the module has 2 keys, but its call takes 1 argument(s): none for the key "
                        "'other'"));
}

TEST(Module, ShapesAreChecked) {
  Shaped model;
  const Tree none;
  detail::RunGuard run(false, none, {});
  EXPECT_EQ(model(at::ones({5, 3})).dim(), 1);
  EXPECT_THAT(error_of([&] { model(at::ones({5, 4})); }), HasSubstr("*b 3"));
}

TEST(Module, InitReportsFieldsThatAreNotCalled) {
  ::testing::internal::CaptureStderr();
  Unused{.left_out = Add{}}.init(kWith, at::zeros({2}));
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("left_out (kd::nn::"));
}

TEST(Module, Errors) {
  EXPECT_THAT(error_of([] { Add{}(at::zeros({2})); }), HasSubstr("outside of init and apply"));
  Tree variables = Add{}.init(kWith, at::zeros({2}));
  Add wider{.features = 3};
  EXPECT_THAT(error_of([&] { wider.apply(variables, {}, at::zeros({3})); }),
              HasSubstr("'bias' has shape (2,), this call needs (3,)"));
  EXPECT_THAT(error_of([&] { Add{}.apply(Tree(), {}, at::zeros({2})); }),
              HasSubstr("no parameter 'bias'"));
  EXPECT_THAT(error_of([&] { Add{}.init({}, at::zeros({2})); }),
              HasSubstr("streams given are: none"));
  Poly<kd::Module> chain = Chain{.layers = {Add{}, Fails{}}};
  EXPECT_THAT(error_of([&] { initialize(chain, kWith, at::zeros({2})); }), HasSubstr("layers_1: "));
}

}  // namespace
}  // namespace kd::nn
