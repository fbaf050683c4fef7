// How modules behave around their numbers: intermediates, the train property, kinds of errors.
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>

#include <map>
#include <tuple>

#include "kd/nn/attention/improved_attention.h"
#include "kd/nn/engine/scope.h"
#include "kd/nn/layers/dense.h"
#include "kd/nn/layers/embeddings.h"
#include "kd/nn/layers/kd_dropout.h"
#include "kd/nn/layers/kd_sequential.h"
#include "kd/nn/models/vit.h"
#include "konfig/error.h"
#include "konfig/register.h"
#include "tests/golden/nn_case.h"

namespace golden::behaviour {

namespace nn = kd::nn;
using kd::Tensor;

// Two appended intermediates, read back; the train property as it is seen inside.
struct Tick : nn::Module<Tick> {
  static constexpr nn::IntermsProperty interms{};
  static constexpr nn::TrainProperty is_training{};

  std::tuple<Tensor, Tensor> call(const Tensor& x) const {
    interms["h"] = x;
    interms["h"] = x * 2;
    Tensor y = interms["h"];
    auto dense =
        nn::named("sub", nn::Dense{.features = 2, .kernel_init = kd::nn::initializers::Ones{}});
    y = dense(dense(y + 1));
    Tensor z = interms.get_by_path(".sub.__call__[0]").to<Tensor>();
    bool outer = is_training, inner = false;
    {
      nn::set_train_property flipped(!outer);
      inner = is_training;
    }
    bool after = is_training;
    std::int64_t seen[] = {outer, inner, after};
    return {y + z, at::tensor(at::ArrayRef<std::int64_t>(seen), at::kLong).to(at::kBool)};
  }
};

// Runs another model inside its own call.
struct Nest : nn::Module<Nest> {
  Tensor call(const Tensor& x) const {
    nn::Dropout{.rate = 0.5}.apply(kd::Tree(), {.is_training_property = true}, x);
    return x;
  }
};

}  // namespace golden::behaviour

KD_COMPONENT(kd::Module, golden::behaviour::Tick);

namespace golden {
namespace {

using behaviour::Nest;
using behaviour::Tick;
using kd::Tensor;
using kd::Tree;
using konfig::call;
using konfig::Dict;
using konfig::ErrorKind;
using konfig::Value;
namespace nn = kd::nn;

NnResult run_interms(const NnCase& c) {
  bool training = c.args.at("is_training_property").as<bool>();
  nn::Sequential model{.layers = {Tick{}}};
  Tensor x = c.inputs.at("x");
  Tree variables = model.init(
      {.rngs = kd::random::key(1), .is_training_property = training, .capture_intermediates = true},
      x);
  auto applied =
      model.apply(variables, {.is_training_property = training, .capture_intermediates = true}, x);
  NnResult result;
  auto [out, seen] = applied.out.to<std::tuple<Tensor, Tensor>>();
  result.outputs = {{"out", out}, {"seen", seen}};
  add_leaves(result.outputs, "intermediates", applied.interms);
  return result;
}

// Each situation in which the reference says what goes wrong.
std::map<std::string, std::function<void()>> situations() {
  Tensor x = at::ones({2, 2});
  nn::Dropout dropout{.rate = 0.5};
  auto key = kd::random::key(0);
  auto embed = [key](std::int64_t axis) {
    nn::LearnedEmbedding{}.init({.rngs = key}, nn::Shape{2, 3, 4}, nn::Ints(axis));
  };
  return {
      {"unset",
       [=] {
         dropout.apply(Tree(), {.rngs = {{"dropout", key}}}, x);
       }},
      {"outside_call", [] { nn::is_training(); }},
      {"nested_apply", [=] { Nest{}.apply(Tree(), {.is_training_property = true}, x); }},
      {"deterministic_given",
       [] {
         konfig::resolve(
             Value(call("kauldron.kd:nn.Dropout", {{"rate", 0.5}, {"deterministic", true}})));
       }},
      {"missing_dropout_key", [=] { dropout.apply(Tree(), {.is_training_property = true}, x); }},
      {"eval_needs_no_key", [=] { dropout.apply(Tree(), {.is_training_property = false}, x); }},
      {"vit_cls_without_token",
       [=] {
         nn::Vit vit{.encoder = nn::VitEncoder::from_spec(
                         {.num_heads = 2, .hidden_size = 4, .num_layers = 1, .patch_size = 2}),
                     .mode = nn::VitMode::cls_token};
         vit.init({.rngs = key}, at::ones({1, 4, 4, 1}));
       }},
      {"heads_not_dividing",
       [=] {
         nn::ImprovedMultiHeadDotProductAttention{.num_heads = 3}.init({.rngs = key},
                                                                       at::ones({1, 2, 4}));
       }},
      {"embedding_axis_minus_one", [=] { embed(-1); }},
      {"embedding_axis_positive", [=] { embed(1); }},
  };
}

// The reference's exception for our kind of error.
Value exception_of(const std::function<void()>& situation) {
  try {
    situation();
  } catch (const konfig::Error& e) {
    switch (e.kind()) {
      case ErrorKind::value:
        return "ValueError";
      case ErrorKind::key:
        return "InvalidRngError";
      default:
        return std::string(e.what());
    }
  }
  return Value();
}

NnResult run_errors(const NnCase& c) {
  NnResult result;
  auto known = situations();
  for (auto& [name, wanted] : c.args.at("errors").as<Dict>()) {
    auto& text = name.as<std::string>();
    if (text == "not_bool") {  // does not compile here
      static_assert(std::is_same_v<decltype(nn::With::is_training_property), std::optional<bool>>);
      continue;
    }
    auto situation = known.find(text);
    Value ours = situation == known.end() ? Value("a situation that the runner does not know")
                                          : exception_of(situation->second);
    if (!(ours == wanted)) {
      result.problems.push_back(text + " gives " + ours.repr() + " instead of " + wanted.repr());
    }
  }
  return result;
}

[[maybe_unused]] const bool kAdded =
    add_nn_handler("kauldron.kd:nn.interms_property", run_interms) &&
    add_nn_handler("kauldron.kd:nn", run_errors);

}  // namespace
}  // namespace golden
