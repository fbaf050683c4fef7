#include "konfig/sweep.h"

#include <gtest/gtest.h>

#include "konfig/expect_test.h"

namespace sweep_test {

using namespace konfig;

static SweepItems sweep() { return {{{"seed", 1}}, {{"seed", 2}}}; }
static List sweep_lr() { return {Dict{{"optimizer.learning_rate", 0.1}}}; }
static SweepItems sizes() { return {}; }
static List wrong() { return {1}; }

const SweepOwner owner("sweep_test");

}  // namespace sweep_test

KONFIG_SWEEP(sweep_test::sweep)
KONFIG_SWEEP(sweep_test::sweep_lr)
KONFIG_SWEEP("size", sweep_test::sizes)
KONFIG_SWEEP("wrong", sweep_test::wrong)

namespace sweep_test {
namespace {

TEST(Sweep, NamesAndItems) {
  auto sweeps = find_sweeps("sweep_test");
  ASSERT_EQ(sweeps.size(), 4u);
  EXPECT_TRUE(sweeps.at("sweep_size")().empty());
  auto items = sweeps.at("sweep")();
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[1].at("seed"), Value(2));
  EXPECT_EQ(sweeps.at("sweep_lr")()[0].at("optimizer.learning_rate"), Value(0.1));
  expect_error(ErrorKind::type, {"int"}, [&] { sweeps.at("sweep_wrong")(); });
  EXPECT_TRUE(find_sweeps("other").empty());
}

TEST(Sweep, OwnersNest) {
  EXPECT_EQ(SweepOwner::current(), "sweep_test");
  {
    const SweepOwner inner("inner");
    EXPECT_EQ(SweepOwner::current(), "inner");
  }
  EXPECT_EQ(SweepOwner::current(), "sweep_test");
}

}  // namespace
}  // namespace sweep_test
