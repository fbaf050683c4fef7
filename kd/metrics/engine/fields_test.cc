// Fields of states: how they merge.
#include "kd/metrics/engine/fields.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "kd/metrics/engine/average.h"
#include "kd/metrics/engine/state.h"
#include "konfig/expect_test.h"

namespace kd::metrics {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using konfig::error_of;

template <class F>
F merged(F a, const F& b) {
  a.merge(b);
  return a;
}

Tensor vec(std::initializer_list<float> values) { return at::tensor(at::ArrayRef<float>(values)); }

TEST(Fields, Reduce) {
  Tensor a = vec({1, 5}), b = vec({3, 2});
  EXPECT_TRUE(merged(SumField(a), SumField(b)).tensor().equal(vec({4, 7})));
  EXPECT_TRUE(merged(MinField(a), MinField(b)).tensor().equal(vec({1, 2})));
  EXPECT_TRUE(merged(MaxField(a), MaxField(b)).tensor().equal(vec({3, 5})));
  float nan = std::nanf("");
  EXPECT_TRUE(merged(MinField(vec({nan})), MinField(vec({1}))).tensor().isnan().item().toBool());
}

TEST(Fields, EmptyMergesWithAnythingNoneOnlyWithNone) {
  Tensor x = vec({1});
  EXPECT_TRUE(merged(SumField(), SumField(x)).tensor().equal(x));
  EXPECT_TRUE(merged(SumField(x), SumField()).tensor().equal(x));
  EXPECT_TRUE(merged(SumField(Tree()), SumField(Tree())).tree().is_none());
  EXPECT_TRUE(merged(SumField(), SumField(Tree())).tree().is_none());
  EXPECT_TRUE(merged(ConcatField<>(), ConcatField<>(Tree())).tree().is_none());
  EXPECT_TRUE(merged(SumField(), SumField()).empty());
  EXPECT_THAT(error_of([&] { merged(SumField(x), SumField(Tree())); }), HasSubstr("None"));
  EXPECT_THAT(error_of([&] { merged(ConcatField<>(Tree()), ConcatField<>(x)); }),
              HasSubstr("None"));
  EXPECT_THAT(error_of([&] { merged(TruncateField<>(x, 1), TruncateField<>(Tree(), 1)); }),
              HasSubstr("None"));
}

TEST(Fields, Trees) {
  auto tree = [](float a, float b) {
    return Tree::dict({{"a", vec({a})}, {"b", Tree::dict({{"c", vec({b})}})}});
  };
  SumField sum = merged(SumField(tree(1, 2)), SumField(tree(3, 4)));
  EXPECT_EQ(sum.tree()["b"]["c"].tensor().item().toFloat(), 6);
  ConcatField<> all =
      merged(merged(ConcatField<>(), ConcatField<>(tree(1, 2))), ConcatField<>(tree(3, 4)));
  EXPECT_TRUE(all.tree()["a"].tensor().equal(vec({1, 3})));
  EXPECT_THAT(error_of([&] {
                merged(SumField(tree(1, 2)), SumField(Tree::dict({{"a", vec({1})}})));
              }),
              HasSubstr("b"));
}

TEST(Fields, ShapesMustFit) {
  EXPECT_THAT(error_of([] { merged(SumField(at::ones({2})), SumField(at::ones({3}))); }),
              AllOf(HasSubstr("(2)"), HasSubstr("(3)")));
  ConcatField<> rows = merged(ConcatField<>(at::ones({2, 3})), ConcatField<>(at::ones({2, 4})));
  EXPECT_THAT(error_of([&] { rows.tree(); }), AllOf(HasSubstr("(2, 4)"), HasSubstr("axis 0")));
  EXPECT_THAT(error_of([] { ConcatField<2>(at::ones({2})).tree(); }), HasSubstr("axis 2"));
}

TEST(Fields, ConcatKeepsOrderAndTakesScalars) {
  ConcatField<> field(at::tensor(1.f));
  field.merge(ConcatField<>(vec({2, 3})));
  field.merge(ConcatField<>(at::zeros({0})));
  field.merge(ConcatField<>(at::tensor(4.f)));
  EXPECT_TRUE(field.tensor().equal(vec({1, 2, 3, 4})));
  field.finalize();
  EXPECT_TRUE(field.tensor().equal(vec({1, 2, 3, 4})));
  ConcatField<1> wide = merged(ConcatField<1>(at::ones({2, 3})), ConcatField<1>(at::zeros({2, 1})));
  EXPECT_THAT(wide.tensor().sizes().vec(), ElementsAre(2, 4));
}

TEST(Fields, TruncateKeepsTheFirst) {
  auto first = [](std::int64_t n, std::initializer_list<int> sizes,
                  std::optional<std::int64_t> num) {
    TruncateField<> field;
    float next = 0;
    for (int size : sizes) {
      field.merge(TruncateField<>(at::arange(next, next + static_cast<float>(size)), num));
      next += static_cast<float>(size);
    }
    Tensor kept = field.tensor();
    return kept.numel() == n && kept.equal(at::arange(static_cast<float>(n)));
  };
  EXPECT_TRUE(first(4, {2, 4}, 4));
  EXPECT_TRUE(first(4, {8}, 4));
  EXPECT_TRUE(first(6, {2, 4}, std::nullopt));
  EXPECT_TRUE(first(3, {2, 1}, 4));
  EXPECT_TRUE(first(0, {2, 1}, 0));
  EXPECT_TRUE(first(5, {1, 1, 1, 9, 9}, 5));
  TruncateField<1> wide(at::ones({3, 2}), 3);
  wide.merge(TruncateField<1>(at::ones({3, 4}), 3));
  EXPECT_THAT(wide.tensor().sizes().vec(), ElementsAre(3, 3));
  EXPECT_NE(error_of([] { merged(TruncateField<>(vec({1}), 3), TruncateField<>(vec({1}), 4)); }),
            "");
  EXPECT_NE(error_of([] { TruncateField<>(vec({1}), -1); }), "");
}

TEST(Fields, TruncateLetsGoOfTheRest) {
  TruncateField<> field(at::zeros({1000, 10}), 2);
  EXPECT_EQ(field.tensor().storage().nbytes(), sizeof(float) * 2 * 10);
}

TEST(Fields, Texts) {
  TruncateField<> field(Tree(Tree::Texts{"a", "b"}), 3);
  field.merge(TruncateField<>(Tree(Tree::Texts{"c", "d"}), 3));
  EXPECT_THAT(field.tree().texts(), ElementsAre("a", "b", "c"));
}

TEST(Fields, StaticMustBeEqual) {
  StaticField<int> a(1);
  a.merge(StaticField<int>());
  a.merge(StaticField<int>(1));
  EXPECT_EQ(*a, 1);
  EXPECT_NE(error_of([&] { a.merge(StaticField<int>(2)); }), "");
  StaticField<int> none;
  none.merge(a);
  EXPECT_EQ(*none, 1);
}

TEST(Fields, FinalizeLeavesTheGraph) {
  SumField sum(at::ones({2}).requires_grad_(true) * 2);
  sum.finalize();
  EXPECT_FALSE(sum.tensor().requires_grad());
}

// ---- States of fields.

struct ManyState {
  SumField sum;
  MinField least;
  MaxField most;
  ConcatField<> all;
  StaticField<int> bins;
  AverageState mean;
};

ManyState many(const Tensor& x) {
  return {.sum = x.sum(),
          .least = x.min(),
          .most = x.max(),
          .all = x,
          .bins = 3,
          .mean = AverageState::from_values(x)};
}

TEST(States, DefaultComputeGivesTheFields) {
  Tree value = State(many(vec({1, 2}))).merge(many(vec({6}))).finalize().compute();
  ASSERT_EQ(value.size(), 5u);  // not what is static
  EXPECT_EQ(value["sum"].tensor().item().toFloat(), 9);
  EXPECT_EQ(value["least"].tensor().item().toFloat(), 1);
  EXPECT_EQ(value["most"].tensor().item().toFloat(), 6);
  EXPECT_TRUE(value["all"].tensor().equal(vec({1, 2, 6})));
  EXPECT_EQ(value["mean"].tensor().item().toFloat(), 3);  // computed by the inner state
}

TEST(States, MergingIsAssociativeWithEmptyAsIdentity) {
  auto flat = [](const State& s) { return s.finalize().compute()["all"].tensor(); };
  State a = many(vec({1, 2})), b = many(vec({3})), c = many(vec({4, 5}));
  EXPECT_TRUE(flat(a.merge(b).merge(c)).equal(flat(a.merge(b.merge(c)))));
  EXPECT_TRUE(flat(State(ManyState()).merge(a).merge(State()).merge(b)).equal(flat(a.merge(b))));
  // What is not collected does not depend on the order.
  for (auto* name : {"sum", "least", "most", "mean"}) {
    EXPECT_TRUE(a.merge(b).merge(c).compute()[name].tensor().equal(
        c.merge(a).merge(b).compute()[name].tensor()));
  }
}

TEST(States, MergingChangesNeitherState) {
  State a = many(vec({1})), b = many(vec({2}));
  State both = a.merge(b);
  EXPECT_TRUE(a.finalize().compute()["all"].tensor().equal(vec({1})));
  EXPECT_TRUE(b.finalize().compute()["all"].tensor().equal(vec({2})));
  State copy = both;
  State more = std::move(copy).merge(b);
  EXPECT_TRUE(both.finalize().compute()["all"].tensor().equal(vec({1, 2})));
  EXPECT_TRUE(more.finalize().compute()["all"].tensor().equal(vec({1, 2, 2})));
}

TEST(States, ErrorsNameTheField) {
  ManyState other = many(vec({1}));
  other.bins = 4;
  EXPECT_THAT(error_of([&] { State(many(vec({1}))).merge(other); }), HasSubstr("bins"));
  EXPECT_THAT(error_of([&] { State(many(vec({1}))).merge(AverageState()); }),
              AllOf(HasSubstr("ManyState"), HasSubstr("AverageState")));
}

TEST(States, Deprecated) {
  auto batch = [](float x) { return Tree::dict({{"x", vec({x, x})}, {"y", at::tensor(x)}}); };
  Tree all = State(CollectingState{batch(1)}).merge(CollectingState{batch(2)}).finalize().compute();
  EXPECT_TRUE(all["x"].tensor().equal(vec({1, 1, 2, 2})));
  EXPECT_TRUE(all["y"].tensor().equal(vec({1, 2})));
  State few = State(CollectFirstState{{batch(1), 3}}).merge(CollectFirstState{{batch(2), 3}});
  EXPECT_TRUE(few.finalize().compute()["x"].tensor().equal(vec({1, 1, 2})));
  EXPECT_EQ(State(EmptyState()).merge(EmptyState()).compute().size(), 0u);
}

}  // namespace
}  // namespace kd::metrics
