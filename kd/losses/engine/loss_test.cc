// Masks, weights, sums and totals.
#include "kd/losses/engine/loss.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "kd/core/grad.h"
#include "kd/losses/test_tools_test.h"
#include "kd/optim/schedule.h"
#include "konfig/config_dict.h"

namespace kd::losses {
namespace {

using metrics::State;
using ::testing::AllOf;
using ::testing::HasSubstr;

// 10 x, and nothing else: all other fields may be left out.
struct TenTimes {
  Key x = Key::required();
  Tensor get_values(Tensor x) const { return 10 * x; }
};
// With a mask and a weight.
struct Scaled {
  Key x = Key::required();
  std::optional<Key> mask = {};
  Schedule weight = 1.0;
  std::optional<Key> step = "step";
  Float<"*a"> get_values(Float<"*a"> x) const { return 10 * x; }
};
struct StepOver20 {
  double operator()(std::int64_t step) const { return static_cast<double>(step) / 20; }
};

}  // namespace
}  // namespace kd::losses

KD_COMPONENT(kd::Loss, kd::losses::TenTimes, "test:TenTimes");
KD_COMPONENT(kd::Loss, kd::losses::Scaled, "test:Scaled");
KD_COMPONENT(kd::ScheduleFn, kd::losses::StepOver20, "test:StepOver20");

namespace kd::losses {
namespace {

Tree rows() {
  Tensor x = at::tensor({1.f, 1.f, 1.f, 2.f, 2.f, 2.f}).view({2, 3});
  Tensor mask = at::tensor({1.f, 0.f}).view({2, 1});
  return Tree::dict(
      {{"x", x}, {"mask", mask}, {"ones", at::ones({2, 3})}, {"step", at::tensor(100)}});
}

TEST(Loss, ValuesOfTheReferencesOwnTests) {
  Tree context = rows();
  EXPECT_EQ(number(Poly<Loss>(TenTimes{.x = "ones"})(context)), 10);
  EXPECT_EQ(number(Poly<Loss>(Scaled{.x = "ones", .weight = 2.5})(context)), 25);
  EXPECT_EQ(
      number(Poly<Loss>(Scaled{.x = "ones", .weight = Poly<ScheduleFn>(StepOver20{})})(context)),
      50);
  EXPECT_EQ(number(Poly<Loss>(Scaled{.x = "x"})(context)), 15);
  EXPECT_EQ(number(Poly<Loss>(Scaled{.x = "x", .mask = "mask"})(context)), 10);
  EXPECT_EQ(number(Poly<Loss>(Scaled{.x = "x", .weight = 3})(context)), 45);
  EXPECT_EQ(number(Poly<Loss>(Scaled{.x = "x", .mask = "mask", .weight = 3})(context)), 30);
}

TEST(Loss, TotalIsTheSumInOrderOfNames) {
  Tree context = rows();
  Map<Poly<Loss>> all = {{"b", Scaled{.x = "x", .weight = 2}}, {"a", TenTimes{.x = "ones"}}};
  auto [total, states] = compute_losses(all, context);
  EXPECT_EQ(number(total), 40);
  ASSERT_EQ(states.size(), 2u);
  EXPECT_EQ(states[0].first, "a");
  EXPECT_EQ(number(states[1].second.compute().tensor()), 30);
  auto none = compute_losses({}, context);
  EXPECT_EQ(number(none.total), 0);
  EXPECT_TRUE(none.states.empty());
}

TEST(Loss, ErrorsNameTheLossAndTheCause) {
  Tree context = rows();
  Map<Poly<Loss>> all = {{"recon", Scaled{.x = "y"}}};
  EXPECT_THAT(error_of([&] { compute_losses(all, context); }),
              AllOf(HasSubstr("recon"), HasSubstr("'y'"), HasSubstr("did you mean")));
  all["recon"] = Scaled{.x = "x", .mask = "step"};
  EXPECT_EQ(error_of([&] { compute_losses(all, context); }), "");  // a number is a mask
  Tree wide = Tree::dict({{"x", at::ones({4, 5})}, {"mask", at::ones({4})}});
  EXPECT_THAT(
      error_of([&] { Poly<Loss>(Scaled{.x = "x", .mask = "mask"})(wide); }),
      AllOf(HasSubstr("Scaled"), HasSubstr("mask"), HasSubstr("(4,)"), HasSubstr("(4, 5)")));
  EXPECT_THAT(error_of([&] { Poly<Loss>(Scaled{})(wide); }),
              AllOf(HasSubstr("Scaled"), HasSubstr("'x'"), HasSubstr("not set")));
  Poly<Loss> no_step =
      Scaled{.x = "x", .weight = Poly<ScheduleFn>(StepOver20{}), .step = std::nullopt};
  EXPECT_THAT(error_of([&] { no_step(wide); }), HasSubstr("step"));
}

TEST(Loss, ShapesAndDtypesAreChecked) {
  Poly<Loss> l2 = L2{.preds = "preds.x", .targets = "batch.y"};
  EXPECT_THAT(error_of([&] {
                l2(context_of(at::ones({4, 5}), at::ones({4, 1})));
              }),
              AllOf(HasSubstr("L2"), HasSubstr("[4, 5]"), HasSubstr("[4, 1]")));
  EXPECT_THAT(error_of([&] { l2(context_of(at::ones({4, 5}), at::ones({5}))); }), HasSubstr("L2"));
  EXPECT_THAT(error_of([&] { l2(context_of(at::ones({4}, at::kInt), at::ones({4}))); }),
              HasSubstr("Float"));
  Poly<Loss> classes = SoftmaxCrossEntropyWithIntLabels{.logits = "preds.x", .labels = "batch.y"};
  EXPECT_NE(error_of([&] { classes(context_of(at::ones({4, 5}), at::ones({4}, at::kInt))); }), "");
  EXPECT_NE(error_of([&] { classes(context_of(at::ones({4, 5}), at::ones({4, 1}))); }), "");
}

TEST(Loss, StepIsNeededOnlyForSchedules) {
  Tree context = Tree::dict({{"x", at::ones({2})}});
  EXPECT_EQ(number(Poly<Loss>(Scaled{.x = "x", .weight = 2})(context)), 20);
  Poly<Loss> scheduled = Scaled{.x = "x", .weight = Poly<ScheduleFn>(StepOver20{})};
  EXPECT_THAT(error_of([&] { scheduled(context); }), HasSubstr("step"));
}

TEST(Loss, IsAMetric) {
  Poly<Metric> metric = Scaled{.x = "x", .mask = "mask", .weight = 3};
  EXPECT_EQ(number(metric(rows()).tensor()), 30);
  EXPECT_EQ(number(metrics::empty(metric).compute().tensor()), 0);
  State state = metrics::get_state(metric, {{"x", at::ones({2})}});  // no mask given: none
  EXPECT_EQ(number(state.compute().tensor()), 30);
  // Also where configs are read.
  konfig::ConfigDict cfg{
      {"__qualname__", "kauldron.kd:losses.L1"}, {"preds", "a"}, {"targets", "b"}};
  auto loaded = konfig::load<Poly<Metric>>(konfig::resolve(konfig::Value(cfg)));
  EXPECT_TRUE(loaded.holds<L1>());
  konfig::ConfigDict own{{"__qualname__", "test:Scaled"}, {"x", "x"}};
  EXPECT_TRUE(konfig::load<Poly<Metric>>(konfig::resolve(konfig::Value(own))).holds<Scaled>());
}

TEST(Loss, MasksOfOnesChangeNothing) {
  Tensor preds = at::randn({3, 4}), targets = at::randn({3, 4});
  for (auto by : {NormalizeBy::mask, NormalizeBy::values}) {
    for (const auto& shape : std::vector<std::vector<std::int64_t>>{{3, 4}, {3, 1}, {1}, {}}) {
      Tree context = context_of(preds, targets);
      context["batch"]["m"] = at::ones(shape);
      Poly<Loss> plain = L2{.preds = "preds.x", .targets = "batch.y"};
      Poly<Loss> masked =
          L2{.preds = "preds.x", .targets = "batch.y", .mask = "batch.m", .normalize_by = by};
      EXPECT_EQ(number(plain(context)), number(masked(context)));
    }
  }
}

TEST(Loss, MergingIsAssociativeCommutativeAndWeighsBySize) {
  Poly<Loss> loss = L1{.preds = "preds.x", .targets = "batch.y", .weight = 0.5};
  std::vector<State> states;
  std::vector<Tensor> preds, targets;
  for (int n : {2, 5, 1}) {
    // Whole numbers: sums are exact, so every order gives the same bits.
    preds.push_back(at::randn({n, 3}).mul(8).round());
    targets.push_back(at::randn({n, 3}).mul(8).round());
    states.push_back(get_state(loss, context_of(preds.back(), targets.back())));
  }
  auto value = [](const State& s) { return number(s.compute().tensor()); };
  State a = states[0], b = states[1], c = states[2];
  double wanted = value(a.merge(b).merge(c));
  EXPECT_EQ(value(a.merge(b.merge(c))), wanted);
  EXPECT_EQ(value(c.merge(a).merge(b)), wanted);
  EXPECT_EQ(value(State().merge(a).merge(b).merge(State()).merge(c)), wanted);
  Tree whole = context_of(at::cat(preds), at::cat(targets));
  EXPECT_EQ(number(loss(whole)), wanted);
}

TEST(Loss, EmptyAndNotFinite) {
  Poly<Loss> l1 = L1{.preds = "preds.x", .targets = "batch.y"};
  EXPECT_EQ(number(l1(context_of(at::ones({0, 3}), at::ones({0, 3})))), 0);
  EXPECT_EQ(number(l1(context_of(at::ones({3, 0}), at::ones({3, 0})))), 0);
  float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  EXPECT_EQ(number(l1(context_of(at::tensor({inf, 0.f}), at::zeros({2})))), inf);
  EXPECT_TRUE(std::isnan(number(l1(context_of(at::tensor({nan, 0.f}), at::zeros({2}))))));
  Poly<Loss> classes = SoftmaxCrossEntropyWithIntLabels{.logits = "preds.x", .labels = "batch.y"};
  EXPECT_EQ(number(classes(context_of(at::ones({0, 3}), at::ones({0, 1}, at::kLong)))), 0);
  EXPECT_TRUE(
      std::isnan(number(classes(context_of(at::ones({2, 0}), at::ones({2, 1}, at::kLong))))));
  Tensor far = at::tensor({std::int64_t{-4}, std::int64_t{1} << 40}).view({2, 1});
  Tensor values = get_values(classes, context_of(at::ones({2, 3}), far));
  EXPECT_TRUE(values.isnan().all().item().toBool());
}

TEST(Loss, FullyMaskedHasNoGradient) {
  Tensor x = tracked(at::randn({3, 2}));
  Tree context = context_of(x, at::zeros({3, 2}));
  context["batch"]["m"] = at::zeros({3, 1});
  Poly<Loss> loss = L2{.preds = "preds.x", .targets = "batch.y", .mask = "batch.m"};
  Tensor value = loss(context);
  EXPECT_EQ(number(value), 0);
  EXPECT_EQ(number(grad(value, std::vector<Tensor>{x})[0].abs().sum()), 0);
}

TEST(Loss, HalfPrecisionAddsUpInFloat) {
  Tensor x = at::full({4096}, 0.01).to(at::kBFloat16);
  Poly<Loss> loss = Value{.values = "preds.x"};
  State state = get_state(loss, context_of(x, at::zeros({})));
  Tensor sum = state.tree()["value"].tensor();
  EXPECT_EQ(sum.scalar_type(), at::kFloat);
  EXPECT_NEAR(number(sum), 4096 * number(x[0]), 0.2);
}

TEST(Loss, ConfigsOfBothNamesOfContrib) {
  for (auto* name : {"kauldron.contrib.losses:DiceLoss", "kauldron.kd:contrib.losses.DiceLoss"}) {
    konfig::ConfigDict cfg{{"__qualname__", name}, {"preds", "a"}, {"targets", "b"}};
    auto loss = konfig::load<Poly<Loss>>(konfig::resolve(konfig::Value(cfg)));
    EXPECT_TRUE(loss.holds<contrib::DiceLoss>());
  }
}

}  // namespace
}  // namespace kd::losses
