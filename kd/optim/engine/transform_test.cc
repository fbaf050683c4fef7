#include "kd/optim/engine/transform.h"

#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <limits>

#include "kd/optim/components.h"
#include "kd/optim/engine/stepper.h"
#include "kd/optim/trees_test.h"
#include "konfig/register.h"

namespace my {

using kd::Tensor;
using kd::Tree;

// Without state.
struct Halve {
  double factor = 0.5;
  Tree update(const Tree& grads) const {
    return kd::map(grads, [&](const Tensor& g) { return g * factor; });
  }
};

struct TowardsZero {
  Tree update(const Tree& grads, const Tree& params) const {
    return kd::zip_map(grads, params, [](const Tensor& g, const Tensor& p) { return g - p; });
  }
};

// With state.
struct Momentum {
  double decay = 0.9;
  Tree init(const Tree& params) const {
    return kd::map(params, [](const Tensor& p) { return p * 0; });
  }
  kd::optim::Update update(const Tree& grads, const Tree& state, const Tree&) const {
    Tree trace =
        kd::zip_map(grads, state, [&](const Tensor& g, const Tensor& t) { return g + t * decay; });
    return {trace, trace};
  }
};

// Made of others.
struct Descent {
  double rate = 0.1;
  kd::Poly<kd::Optimizer> expand() const {
    return kd::optim::Chain{{Halve{}, kd::optim::Scale{-rate}}};
  }
};

// Around another one, for floating-point leaves only.
struct FloatsOnly {
  kd::Poly<kd::Optimizer> inner;
  Tree update(const Tree& grads) const {
    return kd::map(grads, [&](const Tensor& g) {
      if (!g.is_floating_point()) return g * 0;
      return kd::optim::update(inner, g, kd::optim::init(inner, g)).updates.tensor();
    });
  }
  kd::Poly<kd::Optimizer> with_parts(const kd::optim::ChangePart& change) const {
    return FloatsOnly{.inner = change(inner)};
  }
  bool accepts_integers() const { return true; }
};

}  // namespace my

KD_COMPONENT(kd::Optimizer, my::Halve);
KD_COMPONENT(kd::Optimizer, my::TowardsZero);
KD_COMPONENT(kd::Optimizer, my::Momentum);
KD_COMPONENT(kd::Optimizer, my::Descent);
KD_COMPONENT(kd::Optimizer, my::FloatsOnly);

namespace kd::optim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Tree one(std::vector<float> values) { return Tree::dict({{"w", vector(values)}}); }

TEST(Transform, AStepOfDescent) {
  const Poly<Optimizer> sgd = Sgd{.learning_rate = 0.5};
  const Tree params = one({1, 2});
  const Tree state = init(sgd, params);
  const Update next = update(sgd, one({2, -4}), state, params);
  EXPECT_EQ(bit_difference(next.updates, one({-1, 2})), "");
  EXPECT_EQ(bit_difference(apply_updates(params, next.updates), one({0, 4})), "");
}

TEST(Transform, MembersGiveTheSameStep) {
  const Trace trace{.decay = 0.9, .nesterov = true};
  const Tree params = random_tree(), grads = random_tree(5);
  const Tree state = trace.init(params);
  EXPECT_EQ(bit_difference(state, init(trace, params)), "");
  const Update own = trace.update(grads, state, params);
  const Update next = update(trace, grads, state, params);
  EXPECT_EQ(bit_difference(own.updates, next.updates), "");
  EXPECT_EQ(bit_difference(own.state, next.state), "");
}

TEST(Transform, IsPure) {
  const Poly<Optimizer> adam = AdamW{.learning_rate = 0.1};
  const Tree params = random_tree(), grads = random_tree(5);
  const Tree state = update(adam, grads, init(adam, params), params).state;
  const Tree p = copy_of(params), g = copy_of(grads), s = copy_of(state);
  update(adam, grads, state, params);
  EXPECT_EQ(bit_difference(params, p), "");
  EXPECT_EQ(bit_difference(grads, g), "");
  EXPECT_EQ(bit_difference(state, s), "");
}

TEST(Transform, StateIsNamedAsInTheReference) {
  const Tree state = init(AdamW{.learning_rate = CosineDecay{.init_value = 1.0, .decay_steps = 9},
                                .mask = Select{"kernel"}},
                          random_tree());
  ASSERT_EQ(state.size(), 3u);
  EXPECT_EQ(state.child(0).type(), "ScaleByAdamState");
  EXPECT_EQ(state.child(0).name(0), "count");
  EXPECT_EQ(state.child(1).type(), "MaskedState");
  EXPECT_EQ(state.child(1)["inner_state"].type(), "EmptyState");
  EXPECT_EQ(state.child(2).type(), "ScaleByScheduleState");
}

// Every registered optimizer that needs no more than a learning rate.
std::vector<Poly<Optimizer>> optimizers() {
  return {Adam{.learning_rate = 0.1},
          AdamW{.learning_rate = 0.1},
          NAdam{.learning_rate = 0.1},
          NAdamW{.learning_rate = 0.1},
          Adamax{.learning_rate = 0.1},
          AdamaxW{.learning_rate = 0.1},
          Amsgrad{.learning_rate = 0.1},
          RAdam{.learning_rate = 0.1},
          AdaBelief{.learning_rate = 0.1},
          Adan{.learning_rate = 0.1},
          Yogi{.learning_rate = 0.1},
          Sgd{.learning_rate = 0.1, .momentum = 0.9},
          NoisySgd{.learning_rate = 0.1},
          SignSgd{.learning_rate = 0.1},
          Signum{.learning_rate = 0.1},
          Lion{.learning_rate = 0.1},
          Rprop{.learning_rate = 0.1},
          OptimisticGradientDescent{.learning_rate = 0.1},
          Adagrad{.learning_rate = 0.1},
          Adadelta{.learning_rate = 0.1},
          RmsProp{.learning_rate = 0.1, .momentum = 0.9},
          Adafactor{.learning_rate = 0.1},
          Lamb{.learning_rate = 0.1},
          Lars{.learning_rate = 0.1},
          Fromage{.learning_rate =
                      LinearSchedule{.init_value = 0.1, .end_value = 0., .transition_steps = 9}},
          Novograd{.learning_rate = 0.1},
          OptimisticAdam{.learning_rate = 0.1},
          OptimisticAdamV2{.learning_rate = 0.1}};
}

TEST(Transform, EmptyTreesPass) {
  for (const auto& optimizer : optimizers()) {
    const Tree none = Tree::dict();
    const Update next = update(optimizer, none, init(optimizer, none), none);
    EXPECT_TRUE(next.updates.empty()) << optimizer.type()->name;
  }
}

TEST(Transform, ATensorIsATree) {
  for (const auto& optimizer : optimizers()) {
    const Tree params = vector({1, -2, 3}), grads = vector({0.5, 0.25, -1});
    Tree state = init(optimizer, params);
    for (int i = 0; i < 3; ++i) {
      Update next = update(optimizer, grads, state, params);
      ASSERT_TRUE(next.updates.is_tensor()) << optimizer.type()->name;
      EXPECT_TRUE(next.updates.tensor().isfinite().all().item<bool>()) << optimizer.type()->name;
      EXPECT_EQ(bit_difference(map(next.state, [](const Tensor& t) { return t * 0; }),
                               map(state, [](const Tensor& t) { return t * 0; })),
                "")
          << "the structure of the state stays: " << optimizer.type()->name;
      state = next.state;
    }
  }
}

TEST(Transform, ZeroGradientsMoveNothingWithoutDecay) {
  const Tree params = random_tree();
  const Tree zeros = map(params, [](const Tensor& p) { return p * 0; });
  for (const Poly<Optimizer>& optimizer : std::vector<Poly<Optimizer>>{
           Adam{.learning_rate = 0.1}, NAdam{.learning_rate = 0.1}, RAdam{.learning_rate = 0.1},
           Amsgrad{.learning_rate = 0.1}, Sgd{.learning_rate = 0.1, .momentum = 0.9},
           SignSgd{.learning_rate = 0.1}, Adagrad{.learning_rate = 0.1},
           RmsProp{.learning_rate = 0.1}, Rprop{.learning_rate = 0.1}, Lamb{.learning_rate = 0.1},
           Lars{.learning_rate = 0.1}, Lion{.learning_rate = 0.1, .weight_decay = 0.0}}) {
    const Update next = update(optimizer, zeros, init(optimizer, params), params);
    for (auto& [path, u] : flatten(next.updates)) {
      EXPECT_TRUE((u == 0).all().item<bool>()) << optimizer.type()->name << " " << path;
    }
  }
}

TEST(Transform, NanStaysInItsElement) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tree params = one({1, 2, 3}), grads = one({1, nan, -1});
  for (const Poly<Optimizer>& optimizer : std::vector<Poly<Optimizer>>{
           Adam{.learning_rate = 0.1}, Sgd{.learning_rate = 0.1, .momentum = 0.9},
           SignSgd{.learning_rate = 0.1}, Lion{.learning_rate = 0.1}, Clip{0.5}}) {
    const Tensor u =
        update(optimizer, grads, init(optimizer, params), params).updates["w"].tensor();
    EXPECT_TRUE(u.isnan()[1].item<bool>()) << optimizer.type()->name;
    EXPECT_EQ(u.isnan().sum().item<int>(), 1) << optimizer.type()->name;
  }
  const Poly<Optimizer> clean = Chain{{ZeroNans{}, Sgd{.learning_rate = 1.0}}};
  const Update next = update(clean, grads, init(clean, params), params);
  EXPECT_EQ(bit_difference(next.updates, one({-1, -0.f, 1})), "");
  EXPECT_TRUE(next.state.child(0)["found_nan"]["w"].tensor().item<bool>());
}

TEST(Transform, CountersStayAtTheirLargestValue) {
  const Poly<Optimizer> adam = Adam{.learning_rate = 0.1};
  const Tree params = one({1});
  Tree state = init(adam, params);
  state.child(0)["count"].tensor().fill_(std::numeric_limits<std::int32_t>::max());
  state = update(adam, params, state, params).state;
  EXPECT_EQ(state.child(0)["count"].tensor().item<std::int32_t>(),
            std::numeric_limits<std::int32_t>::max());
}

TEST(Transform, KeepsTheDtypeOfParameters) {
  const Tree params = Tree::dict({{"w", at::ones({3}, at::kBFloat16)}});
  const Poly<Optimizer> adam = Adam{.learning_rate = 0.1, .mu_dtype = DType::float32};
  const Tree state = init(adam, params);
  EXPECT_EQ(state.child(0)["mu"]["w"].tensor().scalar_type(), at::kFloat);
  EXPECT_EQ(state.child(0)["nu"]["w"].tensor().scalar_type(), at::kBFloat16);
  const Update next = update(adam, params, state, params);
  EXPECT_EQ(next.updates["w"].tensor().scalar_type(), at::kFloat);
  EXPECT_EQ(apply_updates(params, next.updates)["w"].tensor().scalar_type(), at::kBFloat16);
}

TEST(Transform, OwnTransformations) {
  const Tree params = one({1, 2}), grads = one({4, 8});
  EXPECT_EQ(
      bit_difference(update(my::Halve{}, grads, init(my::Halve{}, params)).updates, one({2, 4})),
      "");
  EXPECT_EQ(init(my::Halve{}, params).type(), "EmptyState");
  EXPECT_EQ(bit_difference(
                update(my::TowardsZero{}, grads, init(my::TowardsZero{}, params), params).updates,
                one({3, 6})),
            "");
  const Poly<Optimizer> chain = Chain{{my::Momentum{.decay = 0.5}, my::Descent{.rate = 1.0}}};
  Update next = update(chain, grads, init(chain, params), params);
  next = update(chain, grads, next.state, params);
  EXPECT_EQ(bit_difference(next.updates, one({-3, -6})), "");
  EXPECT_EQ(next.state.child(1).size(), 2u);
}

// ---- Errors.

TEST(TransformErrors, MissingParameters) {
  for (const Poly<Optimizer>& optimizer : std::vector<Poly<Optimizer>>{
           AddDecayedWeights{0.1}, ScaleByTrustRatio{}, DecayToInit{0.1}, EmaParams{.decay = 0.9},
           AdaptiveGradClip{0.1}, KeepParamsNonnegative{}, ScaleByFactoredRms{}}) {
    const Tree params = one({1, 2});
    EXPECT_THAT(error_of([&] { update(optimizer, params, init(optimizer, params)); }),
                HasSubstr("needs the current parameters"))
        << optimizer.type()->name;
  }
}

TEST(TransformErrors, OtherStructure) {
  const Poly<Optimizer> adam = Adam{.learning_rate = 0.1};
  const Tree params = random_tree();
  const Tree state = init(adam, params);
  Tree grads = random_tree();
  grads["encoder"].erase("bias");
  EXPECT_THAT(error_of([&] { update(adam, grads, state, params); }),
              AllOf(HasSubstr("encoder"), HasSubstr("kernel"), HasSubstr("bias")));
  Tree longer = random_tree();
  longer["encoder"]["bias"] = vector({1, 2, 3, 4});
  EXPECT_THAT(error_of([&] { update(adam, longer, state, params); }),
              AllOf(HasSubstr("encoder.bias"), HasSubstr("[4]"), HasSubstr("[3]")));
}

TEST(TransformErrors, OtherState) {
  const Tree params = one({1, 2});
  const Poly<Optimizer> adam = Adam{.learning_rate = 0.1}, sgd = Sgd{.learning_rate = 0.1};
  EXPECT_THAT(error_of([&] { update(adam, params, init(sgd, params), params); }),
              AllOf(HasSubstr("EmptyState where ScaleByAdamState belongs"), HasSubstr("init")));
  EXPECT_THAT(error_of([&] { update(Chain{{sgd}}, params, init(sgd, params), params); }),
              HasSubstr("the chain has 1 transformations"));
  EXPECT_THAT(error_of([&] { update(adam, params, init(adam, random_tree()), params); }),
              HasSubstr("was the state made for these parameters?"));
}

TEST(TransformErrors, WholeNumbersCannotBeOptimized) {
  const Tree params = Tree::dict({{"step", at::zeros({2}, at::kLong)}});
  EXPECT_THAT(error_of([&] { init(Adam{.learning_rate = 0.1}, params); }),
              AllOf(HasSubstr("step"), HasSubstr("floating-point"), HasSubstr("Long")));
  // As the message says.
  const Tree both = Tree::dict({{"step", at::zeros({2}, at::kLong)}, {"w", at::ones({2})}});
  PartialUpdates some{.optimizer = Adam{.learning_rate = 0.1}, .mask = Select{"w"}};
  const Update next = update(some, both, init(some, both), both);
  EXPECT_TRUE(
      at::equal(apply_updates(both, next.updates)["step"].tensor(), at::zeros({2}, at::kLong)));
  EXPECT_LT(apply_updates(both, next.updates)["w"].tensor()[0].item<float>(), 1);
  some.mask = Select{"step"};
  EXPECT_THAT(error_of([&] { init(some, both); }), HasSubstr("step: expected a floating-point"));
}

TEST(TransformErrors, NotSet) {
  EXPECT_THAT(error_of([] { init({}, Tree::dict()); }), HasSubstr("was not set"));
  EXPECT_THAT(error_of([] { init(Adam{}, Tree::dict()); }), HasSubstr("required"));
}

// One of a user's own is treated as ours are.
TEST(Transform, OptimizersWithinOnesOwn) {
  const Poly<Optimizer> own = my::FloatsOnly{.inner = my::Descent{}};
  EXPECT_TRUE(expanded(own).as<my::FloatsOnly>().inner.holds<Chain>());
  const Poly<Optimizer> chain = expanded(Chain{{own, Sgd{.learning_rate = 1.0}}});
  EXPECT_TRUE(chain.as<Chain>().transforms[0].as<my::FloatsOnly>().inner.holds<Chain>());

  const Tree both = Tree::dict({{"step", at::ones({2}, at::kLong)}, {"w", at::ones({2})}});
  const Update next = update(own, both, init(own, both), both);
  EXPECT_TRUE(at::equal(next.updates["step"].tensor(), at::zeros({2}, at::kLong)));
  EXPECT_FLOAT_EQ(next.updates["w"].tensor()[0].item<float>(), -0.05f);
}

}  // namespace
}  // namespace kd::optim
