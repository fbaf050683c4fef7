// Metrics of metrics, and what all metrics can do.
#include "kd/metrics/wrappers.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kd/metrics/stats.h"
#include "kd/metrics/tools_test.h"

namespace kd::metrics {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// The mean, rounded down.
struct IntAverageState {
  SumField total = 0.0;
  SumField count = 0.0;
  Tensor compute() const { return (total.tensor() / count.tensor()).floor(); }
};
struct IntAverage {
  Key x = Key::required();
  std::optional<Key> scale = {};
  IntAverageState get_state(Tensor x, std::optional<Tensor> scale) const {
    if (scale) x = x * *scale;
    return {.total = x.sum(), .count = static_cast<double>(x.numel())};
  }
};

}  // namespace
}  // namespace kd::metrics

KD_COMPONENT(kd::Metric, kd::metrics::IntAverage, "test:IntAverage");

namespace kd::metrics {
namespace {

Tree context() {
  auto batch = Tree::dict({{"a", at::arange(12.f)},
                           {"b", Tree::dict({{"c", at::arange(8.f)}, {"d", at::arange(9.f)}})},
                           {"list", Tree::list({at::ones({2}), at::ones({3})})}});
  return Tree::dict({{"batch", batch}, {"none", Tree()}});
}

TEST(TreeMap, ValuesOfTheReferencesOwnTests) {
  Poly<Metric> plain = IntAverage{.x = "batch.a"};
  EXPECT_EQ(number(plain(context())), 5);
  Tree value = Poly<Metric>(TreeMap{.metric = IntAverage{.x = "batch"}})(context());
  EXPECT_EQ(number(value["a"]), 5);
  EXPECT_EQ(number(value["b"]["c"]), 3);
  EXPECT_EQ(number(value["b"]["d"]), 4);
  EXPECT_EQ(number(value["list"].child(1)), 1);
  Tree only_d = Poly<Metric>(TreeMap{.metric = IntAverage{.x = "batch.**.d"}})(context());
  EXPECT_EQ(only_d.size(), 1u);
  EXPECT_EQ(number(only_d["b"]["d"]), 4);
  EXPECT_EQ(number(Poly<Metric>(TreeReduce{.metric = IntAverage{.x = "batch.*.*"}})(
                Tree::dict({{"batch", Tree::dict({{"b", context()["batch"]["b"]}})}}))),
            3);
}

TEST(TreeMap, SeveralKeysAreWalkedTogether) {
  Tree two = Tree::dict({{"x", Tree::dict({{"a", at::ones({2})}, {"b", at::ones({2}) * 3}})},
                         {"s", Tree::dict({{"a", at::tensor(2.f)}, {"b", at::tensor(5.f)}})},
                         {"t", Tree::dict({{"a", at::tensor(2.f)}})}});
  Tree value = Poly<Metric>(TreeMap{.metric = IntAverage{.x = "x", .scale = "s"}})(two);
  EXPECT_EQ(number(value["a"]), 2);
  EXPECT_EQ(number(value["b"]), 15);
  EXPECT_THAT(
      error_of([&] { Poly<Metric>(TreeMap{.metric = IntAverage{.x = "x", .scale = "t"}})(two); }),
      HasSubstr("structure"));
}

TEST(TreeMap, OfOneLeaf) {
  Tree value = Poly<Metric>(TreeMap{.metric = IntAverage{.x = "batch.a"}})(context());
  EXPECT_EQ(number(value), 5);
}

TEST(TreeMap, MergesLeafByLeaf) {
  Poly<Metric> metric = TreeMap{.metric = IntAverage{.x = "batch.b"}};
  State a = get_state(metric, context());
  Tree other = Tree::dict(
      {{"batch",
        Tree::dict({{"b", Tree::dict({{"c", at::ones({8}) * 20}, {"d", at::ones({9})}})}})}});
  Tree value = empty(metric).merge(a).merge(get_state(metric, other)).finalize().compute();
  EXPECT_EQ(number(value["c"]), 11);
  EXPECT_EQ(number(value["d"]), 2);
  Tree odd = Tree::dict({{"batch", Tree::dict({{"b", Tree::dict({{"c", at::ones({8})}})}})}});
  EXPECT_THAT(error_of([&] { a.merge(get_state(metric, odd)); }), HasSubstr("structure"));
  EXPECT_EQ(empty(metric).compute().size(), 0u);
}

TEST(TreeReduce, GivesTheStateOfTheInnerMetric) {
  Poly<Metric> metric = TreeReduce{.metric = IntAverage{.x = "batch.b"}};
  State state = get_state(metric, context());
  EXPECT_TRUE(state.get_if<IntAverageState>());
  EXPECT_TRUE(state.parent().holds<IntAverage>());
  EXPECT_TRUE(empty(metric).get_if<IntAverageState>());
}

TEST(SkipIfMissing, SkipsOnlyWhatIsMissing) {
  auto skip = [](Poly<Metric> inner) { return Poly<Metric>(SkipIfMissing{.metric = inner}); };
  EXPECT_EQ(number(skip(IntAverage{.x = "batch.a"})(context())), 5);
  EXPECT_EQ(skip(IntAverage{.x = "batch.zz"})(context()).size(), 0u);
  EXPECT_EQ(skip(TreeReduce{.metric = IntAverage{.x = "grads"}})(context()).size(), 0u);
  EXPECT_EQ(skip(TreeReduce{.metric = IntAverage{.x = "none"}})(context()).size(), 0u);
  EXPECT_EQ(skip(TreeMap{.metric = IntAverage{.x = "batch.**.zz"}})(context()).size(), 0u);
  EXPECT_NE(error_of([&] { skip(IntAverage{})(context()); }), "");  // a key that was never set
  Poly<Metric> metric = skip(IntAverage{.x = "batch.b.c"});
  State have = get_state(metric, context()), lack = get_state(metric, Tree::dict());
  for (const State& merged : {have.merge(lack), lack.merge(have), empty(metric).merge(have)}) {
    EXPECT_EQ(number(merged.finalize().compute()), 3);
  }
}

TEST(Noop, HasNoValue) { EXPECT_EQ(Poly<Metric>(NoopMetric{})(context()).size(), 0u); }

TEST(Metric, FromContextFromInputsAndCalled) {
  Poly<Metric> metric = IntAverage{.x = "batch.a"};
  EXPECT_EQ(number(get_state(metric, context()).compute()), 5);
  EXPECT_EQ(number(get_state(metric, {{"x", at::ones({3})}}).compute()), 1);
  EXPECT_EQ(number(get_state(metric, {{"x", at::ones({3})}, {"scale", at::tensor(2.f)}}).compute()),
            2);
  EXPECT_THAT(error_of([&] {
                get_state(metric, {{"y", at::ones({3})}});
              }),
              AllOf(HasSubstr("IntAverage"), HasSubstr("'y'")));
  EXPECT_THAT(error_of([&] { get_state(metric, {{"scale", at::ones({3})}}); }), HasSubstr("'x'"));
  EXPECT_THAT(error_of([&] { Poly<Metric>(IntAverage{.x = "none"})(context()); }),
              AllOf(HasSubstr("IntAverage"), HasSubstr("None")));
}

TEST(Metric, StatesKnowWhereTheyCameFrom) {
  Poly<Metric> a = Norm{.tensor = "a"}, b = Norm{.tensor = "b"};
  Tree tensors = Tree::dict({{"a", at::ones({2, 2})}, {"b", at::ones({2, 2})}});
  State one = get_state(a, tensors);
  EXPECT_TRUE(one.parent().holds<Norm>());
  EXPECT_THAT(error_of([&] { one.merge(get_state(b, tensors)); }),
              AllOf(HasSubstr("tensor='a'"), HasSubstr("tensor='b'")));
  Poly<Metric> same = Norm{.tensor = "a"};  // another object with the same fields
  EXPECT_EQ(error_of([&] { one.merge(get_state(same, tensors)); }), "");
  EXPECT_EQ(error_of([&] { one.merge(empty(a)); }), "");
  EXPECT_TRUE(State().merge(one).parent().holds<Norm>());
}

TEST(Metric, ErrorsOfComputeNameTheMetric) {
  Poly<Metric> metric = IntAverage{.x = "x"};
  State wide = get_state(metric, {{"x", at::ones({2})}});
  State odd =
      State(IntAverageState{.total = at::ones({2}), .count = at::ones({3})}).with_parent(metric);
  EXPECT_THAT(error_of([&] { odd.compute(); }), HasSubstr("IntAverage"));
  EXPECT_THAT(error_of([&] { wide.merge(odd); }),
              AllOf(HasSubstr("IntAverage"), HasSubstr("total")));
  EXPECT_THAT(error_of([] { Poly<Metric>()(Tree::dict()); }), HasSubstr("not set"));
}

}  // namespace
}  // namespace kd::metrics
