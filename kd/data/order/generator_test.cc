// Draws: their range, their reproducibility, and where numpy's rules are surprising. The exact
// numbers are those of golden.data.
#include "kd/data/order/generator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kd/data/order/tf_random.h"

namespace kd::data {
namespace {

TEST(Generator, ThirtyTwoBitDrawsAreHalvesOfOneDraw) {
  Generator whole({42, 0}), halves({42, 0});
  const std::uint64_t bits = whole.bits64();
  EXPECT_EQ(halves.bits32(), static_cast<std::uint32_t>(bits));
  // A 64-bit draw between them takes a new word and leaves the kept half alone.
  EXPECT_EQ(halves.bits64(), whole.bits64());
  EXPECT_EQ(halves.bits32(), static_cast<std::uint32_t>(bits >> 32));
}

TEST(Generator, IntegersStayInRangeAndReachBothEnds) {
  Generator rng({1, 0});
  std::vector<int> seen(7);
  for (int i = 0; i < 700; ++i) ++seen.at(rng.integers(7));
  for (int count : seen) EXPECT_GT(count, 60);
  Generator same({1, 0});
  EXPECT_EQ(same.integers(1), 0u);  // nothing to draw
  EXPECT_EQ(same.bits64(), Generator({1, 0}).bits64());
  EXPECT_LT(rng.integers(std::uint64_t{1} << 40), std::uint64_t{1} << 40);
}

TEST(Generator, ShuffleIsAPermutation) {
  for (std::size_t n : {0u, 1u, 2u, 17u, 1000u}) {
    std::vector<std::int64_t> values(n), sorted(n);
    std::iota(sorted.begin(), sorted.end(), 0);
    values = sorted;
    Generator({n, 3}).shuffle(values);
    if (n == 1000) {
      EXPECT_NE(values, sorted);
    }
    std::ranges::sort(values);
    EXPECT_EQ(values, sorted);
  }
}

TEST(Generator, NormalDrawsHaveTheMomentsOfANormalDistribution) {
  Generator rng({7, 0});
  constexpr int kCount = 20000;
  double sum = 0, squares = 0;
  int beyond = 0;
  for (int i = 0; i < kCount; ++i) {
    const double x = rng.normal();
    sum += x, squares += x * x, beyond += std::abs(x) > 2;
  }
  EXPECT_NEAR(sum / kCount, 0, 0.03);
  EXPECT_NEAR(squares / kCount, 1, 0.05);
  EXPECT_NEAR(static_cast<double>(beyond) / kCount, 0.0455, 0.01);
}

TEST(Generator, CopiesGoOnAlike) {
  Generator rng({3, 4}, {0, 0, 0, 9});
  rng.bits32();
  Generator copy = rng;
  EXPECT_EQ(copy.uniform(), rng.uniform());
  EXPECT_EQ(copy.bits32(), rng.bits32());
}

TEST(SeedWords, DependOnEveryWord) {
  const std::uint64_t a[] = {1, 2}, b[] = {2, 1}, c[] = {1, 2, 0};
  EXPECT_NE(seed_words(a, 2), seed_words(b, 2));
  EXPECT_EQ(seed_words(a, 2), seed_words(c, 2));  // numpy pads with zeros
  EXPECT_NE(seeded_key(1), seeded_key(2));
}

TEST(Stateless, DrawsBelowABound) {
  tf::Stateless random({1, 2});
  for (int i = 0; i < 100; ++i) {
    EXPECT_LT(random.below(10), 10u);
    EXPECT_LT(random.below(8), 8u);
    const float u = random.uniform();
    EXPECT_TRUE(u >= 0 && u < 1);
  }
}

// Values that numpy's documentation shows.
TEST(Generator, DefaultRng) {
  EXPECT_DOUBLE_EQ(Generator::default_rng(12345).uniform(), 0.22733602246716966);
  EXPECT_DOUBLE_EQ(Generator::default_rng(0).uniform(), 0.6369616873214543);
  std::vector<std::int64_t> order(10);
  std::iota(order.begin(), order.end(), 0);
  Generator::default_rng(0).shuffle(order);
  EXPECT_EQ(order, (std::vector<std::int64_t>{4, 6, 2, 7, 3, 5, 9, 0, 8, 1}));
}

}  // namespace
}  // namespace kd::data
