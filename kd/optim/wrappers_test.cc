#include "kd/optim/wrappers.h"

#include "kd/optim/components.h"
#include "kd/optim/engine/skip.h"
#include "kd/optim/engine/transform.h"
#include "kd/optim/trees_test.h"
#include "konfig/register.h"

namespace my {

bool even(int step) { return step % 2 == 0; }
int growing(int step) { return 1 + step; }

struct SkipAll {
  kd::optim::Skip operator()(const kd::Tree&) const { return {true, kd::Tree::list()}; }
};

}  // namespace my

KONFIG_CALLABLE("my:even", my::even);
KONFIG_CALLABLE("my:growing", my::growing);
KD_COMPONENT(kd::SkipFn, my::SkipAll);

namespace kd::optim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Tree steps(const Poly<Optimizer>& optimizer, Tree params, int n, std::uint64_t seed = 1) {
  at::manual_seed(seed);
  Tree state = init(optimizer, params);
  for (int i = 0; i < n; ++i) {
    Update next = update(optimizer, random_tree(i), state, params);
    params = apply_updates(params, next.updates);
    state = next.state;
  }
  return params;
}

TEST(Wrappers, MultiStepsIsOneStepWithTheMean) {
  const Tree params = random_tree(), a = random_tree(1), b = random_tree(2);
  const Poly<Optimizer> sgd = Sgd{.learning_rate = 0.5};
  const Poly<Optimizer> multi = MultiSteps{.opt = sgd, .every_k_schedule = 2};
  Update first = update(multi, a, init(multi, params), params);
  for (auto& leaf : leaves(first.updates)) EXPECT_TRUE((leaf == 0).all().item<bool>());
  Update second = update(multi, b, first.state, params);
  Tree mean = zip_map(a, b, [](const Tensor& x, const Tensor& y) { return x + (y - x) / 2; });
  EXPECT_EQ(bit_difference(second.updates, update(sgd, mean, init(sgd, params), params).updates),
            "");
  EXPECT_EQ(second.state["gradient_step"].tensor().item<int>(), 1);
  EXPECT_EQ(second.state["mini_step"].tensor().item<int>(), 0);
}

TEST(Wrappers, MultiStepsByAFunctionOrSchedule) {
  const Tree params = random_tree();
  const Poly<Optimizer> one = Sgd{.learning_rate = 0.1};
  const Poly<Optimizer> by_function =
      MultiSteps{.opt = one, .every_k_schedule = konfig::Callable<int(int)>("my:growing")};
  Tree state = init(by_function, params);
  std::vector<int> updates;
  for (int i = 0; i < 6; ++i) {
    state = update(by_function, params, state, params).state;
    updates.push_back(state["gradient_step"].tensor().item<int>());
  }
  EXPECT_THAT(updates, ::testing::ElementsAre(1, 1, 2, 2, 2, 3));
  const Poly<Optimizer> by_schedule =
      MultiSteps{.opt = one, .every_k_schedule = ConstantSchedule{1.5}};
  EXPECT_THAT(error_of([&] { update(by_schedule, params, init(by_schedule, params), params); }),
              AllOf(HasSubstr("every_k_schedule"), HasSubstr("1.5")));
}

TEST(Wrappers, MultiStepsLeavesStepsOut) {
  const Tree params = random_tree();
  const Poly<Optimizer> never = MultiSteps{.opt = Sgd{.learning_rate = 0.1},
                                           .every_k_schedule = 1,
                                           .should_skip_update_fn = my::SkipAll{}};
  EXPECT_EQ(bit_difference(steps(never, params, 3), params), "");
  const Poly<Optimizer> small = MultiSteps{.opt = Sgd{.learning_rate = 0.1},
                                           .every_k_schedule = 1,
                                           .should_skip_update_fn = SkipLargeUpdates{1e-12}};
  EXPECT_EQ(bit_difference(steps(small, params, 3), params), "");
}

TEST(Wrappers, ConditionsOnTheStep) {
  const Tree params = random_tree(), grads = random_tree(4);
  const konfig::Callable<bool(int)> even = "my:even";
  const Poly<Optimizer> transform =
      ConditionallyTransform{.inner = Scale{2.0}, .should_transform_fn = even};
  const Poly<Optimizer> mask = ConditionallyMask{.inner = Scale{2.0}, .should_transform_fn = even};
  const Tree twice = map(grads, [](const Tensor& g) { return g * 2; });
  Update next = update(transform, grads, init(transform, params));
  EXPECT_EQ(bit_difference(next.updates, twice), "");
  EXPECT_EQ(bit_difference(update(transform, grads, next.state).updates, grads), "");
  next = update(mask, grads, init(mask, params));
  EXPECT_EQ(bit_difference(next.updates, twice), "");
  for (auto& u : leaves(update(mask, grads, next.state).updates)) {
    EXPECT_TRUE((u == 0).all().item<bool>());
  }
}

TEST(Wrappers, FlattenSeesOneVector) {
  const Tree params = random_tree(), grads = random_tree(4);
  const Poly<Optimizer> flat = Flatten{.inner = ClipByBlockRms{1e-3}};
  const Update next = update(flat, grads, init(flat, params), params);
  double square = 0, n = 0;
  for (auto& u : leaves(next.updates)) {
    square += (u * u).sum().item<double>();
    n += static_cast<double>(u.numel());
  }
  EXPECT_NEAR(std::sqrt(square / n), 1e-3, 1e-8);
  EXPECT_EQ(bit_difference(steps(Flatten{.inner = Adam{.learning_rate = 0.1}}, params, 3),
                           steps(Adam{.learning_rate = 0.1}, params, 3)),
            "");
}

TEST(Wrappers, InjectedHyperparametersCanBeChanged) {
  const Tree params = random_tree(), grads = random_tree(4);
  const Poly<Optimizer> inject = InjectHyperparams{.inner_factory = Sgd{.learning_rate = 0.5}};
  Tree state = init(inject, params);
  EXPECT_EQ(state["hyperparams"]["learning_rate"].tensor().item<float>(), 0.5f);
  state["hyperparams"]["learning_rate"].tensor().fill_(0.25);
  const Update next = update(inject, grads, state, params);
  EXPECT_EQ(bit_difference(next.updates, map(grads, [](const Tensor& g) { return g * -0.25; })),
            "");
}

TEST(Wrappers, InjectTakesSchedulesOfAnyNumber) {
  const Tree params = random_tree(), grads = random_tree(4);
  const Poly<Optimizer> inject = InjectHyperparams{
      .inner_factory = Sgd{.learning_rate = 1.0, .momentum = 0.0},
      .static_args = {"nesterov"},
      .schedules = {{"momentum",
                     LinearSchedule{.init_value = 0.0, .end_value = 1.0, .transition_steps = 2}}}};
  Tree state = init(inject, params);
  for (float momentum : {0.0f, 0.5f, 1.0f, 1.0f}) {
    state = update(inject, grads, state, params).state;
    EXPECT_EQ(state["hyperparams"]["momentum"].tensor().item<float>(), momentum);
  }
  EXPECT_EQ(state["hyperparams_states"]["momentum"]["count"].tensor().item<int>(), 4);
  EXPECT_THAT(error_of([&] {
                init(InjectHyperparams{.inner_factory = Sgd{.learning_rate = 1.0},
                                       .static_args = {"momentun"}},
                     params);
              }),
              AllOf(HasSubstr("static_args"), HasSubstr("did you mean 'momentum'")));
}

TEST(Wrappers, LookaheadWantsAPair) {
  const Tree params = random_tree();
  const Poly<Optimizer> lookahead = Lookahead{
      .fast_optimizer = Sgd{.learning_rate = 0.1}, .sync_period = 2, .slow_step_size = 0.5};
  EXPECT_THAT(error_of([&] { update(lookahead, params, init(lookahead, params), params); }),
              HasSubstr("lookahead_params"));
  const Tree pair = lookahead_params(params);
  Update next = update(lookahead, params, init(lookahead, pair), pair);
  for (auto& u : leaves(next.updates["slow"])) EXPECT_TRUE((u == 0).all().item<bool>());
}

TEST(Wrappers, EmaParams) {
  const Tree params = random_tree();
  const Poly<Optimizer> chain = NamedChain{
      {{"sgd", Sgd{.learning_rate = 0.1}}, {"ema", EmaParams{.decay = 0.5, .debias = false}}}};
  Update next = update(chain, random_tree(9), init(chain, params), params);
  const Tree moved = apply_updates(params, next.updates);
  const Tree averaged = use_ema_params(UseEmaParams{}, moved, next.state);
  const Tree wanted =
      zip_map(params, moved, [](const Tensor& a, const Tensor& b) { return b * 0.5 + a * 0.5; });
  EXPECT_EQ(bit_difference(averaged, wanted), "");
  EXPECT_EQ(
      bit_difference(use_ema_params(UseEmaParams{.ema_params_transform = "ema"}, moved, next.state),
                     wanted),
      "");
}

TEST(Wrappers, EmaParamsThatAreMissing) {
  const Tree params = random_tree();
  auto state_of = [&](const Poly<Optimizer>& optimizer) { return init(optimizer, params); };
  const Tree none = state_of(Sgd{.learning_rate = 0.1});
  EXPECT_THAT(error_of([&] { use_ema_params({}, params, none); }), HasSubstr("found 0"));
  const Tree two = state_of(Chain{{EmaParams{.decay = 0.5}, EmaParams{.decay = 0.9}}});
  EXPECT_THAT(error_of([&] { use_ema_params({}, params, two); }),
              AllOf(HasSubstr("found 2: [0], [1]"), HasSubstr("ema_params_transform")));
  const Tree part =
      state_of(PartialUpdates{.optimizer = EmaParams{.decay = 0.5}, .mask = Select{"encoder"}});
  EXPECT_THAT(error_of([&] { use_ema_params({}, params, part); }),
              AllOf(HasSubstr("heads"), HasSubstr("partial_ok")));
  EXPECT_EQ(bit_difference(use_ema_params({.partial_ok = true}, params, part), params), "");
  EXPECT_THAT(
      error_of([&] { use_ema_params({.ema_params_transform = "inner_states"}, params, part); }),
      HasSubstr("not one of ema_params"));
}

TEST(Wrappers, MultiOptimizerHasNoUpdate) {
  const Tree params = random_tree();
  const Poly<Optimizer> multi =
      MultiOptimizer{{{"a", Sgd{.learning_rate = 0.1}}, {"b", Adam{.learning_rate = 0.1}}}};
  const Tree state = init(multi, params);
  EXPECT_TRUE(state.contains("a") && state.contains("b"));
  EXPECT_THAT(error_of([&] { update(multi, params, state, params); }), HasSubstr("MultiTrainStep"));
}

}  // namespace
}  // namespace kd::optim
