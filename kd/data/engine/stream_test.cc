// Orders: each record once an epoch, shards that make up the whole, turns of mixtures.
#include "kd/data/engine/stream.h"

#include <ATen/ops/arange.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "kd/data/engine/pipeline.h"
#include "kd/data/order/index_shuffle.h"
#include "kd/data/order/interleave.h"
#include "konfig/error.h"

namespace kd::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

RecordsPtr numbers(std::int64_t n, std::int64_t base = 0) {
  return in_memory(Tree::dict({{"i", at::arange(base, base + n, at::kLong)}}));
}
std::int64_t number_at(const StreamPtr& s, std::int64_t position) {
  return s->at(position).value()["i"].tensor().item().toLong();
}
std::vector<std::int64_t> numbers_of(const StreamPtr& s, std::int64_t begin, std::int64_t end) {
  std::vector<std::int64_t> out;
  for (std::int64_t i = begin; i < end; ++i) out.push_back(number_at(s, i));
  return out;
}
std::vector<std::int64_t> sorted(std::vector<std::int64_t> values) {
  std::ranges::sort(values);
  return values;
}
std::vector<std::int64_t> up_to(std::int64_t n) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(n));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

TEST(IndexShuffle, IsAPermutationForEverySize) {
  for (std::uint64_t n : {1, 2, 3, 5, 16, 100, 255, 256, 257, 1000, 65535, 65536}) {
    const IndexShuffle shuffle(n - 1, static_cast<std::uint32_t>(n * 31));
    std::vector<bool> seen(n);
    for (std::uint64_t i = 0; i < n; ++i) {
      const std::uint64_t to = shuffle(i);
      ASSERT_LT(to, n);
      EXPECT_FALSE(seen[to]) << to << " twice of " << n;
      seen[to] = true;
    }
  }
}

TEST(IndexShuffle, RefusesOddRounds) { EXPECT_THROW(IndexShuffle(9, 1, 5), konfig::Error); }

TEST(Stream, ABufferLetsNoRecordComeEarly) {
  const StreamPtr s = buffer_shuffled(stream(numbers(50)), 8, 5);
  const auto first = numbers_of(s, 0, 50), second = numbers_of(s, 50, 100);
  EXPECT_EQ(sorted(first), up_to(50));
  EXPECT_EQ(sorted(second), up_to(50));
  EXPECT_NE(first, up_to(50));
  EXPECT_NE(first, second);
  for (std::int64_t i = 0; i < 50; ++i) EXPECT_LT(first[static_cast<std::size_t>(i)], i + 8);
  EXPECT_EQ(numbers_of(s, 0, 50), first);  // again, after the next epoch
  EXPECT_EQ(numbers_of(buffer_shuffled(stream(numbers(50)), 1, 5), 0, 50), up_to(50));
  EXPECT_EQ(sorted(numbers_of(buffer_shuffled(stream(numbers(50)), 999, 5), 0, 50)), up_to(50));
  EXPECT_THROW(buffer_shuffled(stream(numbers(50)), 0, 5), konfig::Error);
}

TEST(Stream, EveryRecordComesOnceAnEpochInAnotherOrder) {
  for (std::int64_t n : {1, 2, 7, 33, 100}) {
    const StreamPtr s = shuffled(stream(numbers(n)), 5);
    const auto first = numbers_of(s, 0, n), second = numbers_of(s, n, 2 * n);
    EXPECT_EQ(sorted(first), up_to(n));
    EXPECT_EQ(sorted(second), up_to(n));
    if (n > 10) {
      EXPECT_NE(first, second);
    }
  }
}

TEST(Stream, SharesOfProcessesMakeUpTheWhole) {
  for (int count : {1, 2, 3, 5, 8}) {
    std::multiset<std::int64_t> all;
    for (int index = 0; index < count; ++index) {
      const StreamPtr s = ordered(numbers(23), root_key(1), true, Process{index, count});
      for (auto i : numbers_of(s, 0, s->size())) all.insert(i);
    }
    EXPECT_EQ(std::vector(all.begin(), all.end()), up_to(23)) << count;
  }
}

TEST(Stream, SlicesFollowPython) {
  const StreamPtr s = stream(numbers(10));
  EXPECT_THAT(numbers_of(slice(s, {2, 9, 3}), 0, 3), ElementsAre(2, 5, 8));
  EXPECT_EQ(slice(s, {2, 9, 3})->size(), 3);
  EXPECT_THAT(numbers_of(slice(s, {{}, {}, -4}), 0, 3), ElementsAre(9, 5, 1));
  EXPECT_THAT(numbers_of(slice(s, {-2, {}, {}}), 0, 2), ElementsAre(8, 9));
  EXPECT_EQ(slice(s, {5, 5, {}})->size(), 0);
  EXPECT_EQ(slice(s, {20, {}, {}})->size(), 0);
  EXPECT_EQ(slice(s, {{}, 100, {}})->size(), 10);
  EXPECT_THROW(slice(s, {{}, {}, 0}), konfig::Error);
}

TEST(Stream, RepeatsCountEpochs) {
  EXPECT_EQ(repeated(stream(numbers(10)), 3)->size(), 30);
  EXPECT_EQ(repeated(stream(numbers(10)), {})->size(), kForever);
  EXPECT_EQ(repeated(stream(numbers(10)), 0)->size(), 0);
  EXPECT_EQ(repeated(slice(stream(numbers(10)), {0, 0, {}}), {})->size(), 0);
  EXPECT_THROW(repeated(stream(numbers(10)), -1), konfig::Error);
}

TEST(Stream, BatchesEqualTheirRecords) {
  const Step doubled{.name = "Double",
                     .map =
                         [](Tree r) {
                           r["i"] = r["i"].tensor() * 2;
                           return r;
                         },
                     .map_batch = {}};
  Step quick = doubled;
  quick.map_batch = doubled.map;
  for (const Step& step : {doubled, quick}) {
    const StreamPtr s = with_step(slice(shuffled(stream(numbers(20)), 3), {1, {}, 2}), step);
    const std::vector<std::int64_t> positions = {0, 7, 3, 25};
    const Tensor batch = s->batch(positions)["i"].tensor();
    for (std::size_t k = 0; k < positions.size(); ++k) {
      EXPECT_EQ(batch[static_cast<std::int64_t>(k)].item().toLong(), number_at(s, positions[k]));
    }
  }
}

TEST(Stream, MixturesTakeTurnsByWeight) {
  const StreamPtr s =
      mixed({stream(numbers(10)), stream(numbers(12, 100))}, std::vector<double>{1, 3});
  EXPECT_EQ(s->size(), 16);
  EXPECT_THAT(numbers_of(s, 0, 5), ElementsAre(0, 100, 101, 102, 1));
  EXPECT_THROW(mixed({stream(numbers(3))}, std::vector<double>{1, 2}), konfig::Error);
  EXPECT_THROW(mixed({stream(numbers(3))}, std::vector<double>{0}), konfig::Error);
  EXPECT_THROW(mixed({}, {}), konfig::Error);
}

TEST(Stream, TurnsVisitEachElementInOrder) {
  const std::vector<std::int64_t> proportions = {100, 250, 33};
  std::vector<std::int64_t> next(3);
  for (std::int64_t i = 0; i < 1000; ++i) {
    const Turn turn = turn_at(i, proportions);
    EXPECT_EQ(turn.element, next[turn.dataset]++);
  }
  EXPECT_NEAR(static_cast<double>(next[1]), 1000 * 250 / 383.0, 2);
}

TEST(Stream, ConcatenatedPartsFollowEachOther) {
  const StreamPtr s =
      concatenated({stream(numbers(2)), stream(numbers(3, 10)), stream(numbers(1, 20))});
  EXPECT_THAT(numbers_of(s, 0, 7), ElementsAre(0, 1, 10, 11, 12, 20, 0));
}

TEST(Stream, RandomStepsDependOnSeedAndPositionOnly) {
  auto draws = [](std::uint32_t seed, bool plain_step_before) {
    std::vector<std::uint64_t> out;
    StreamPtr s = seeded(stream(numbers(4)), seed);
    if (plain_step_before) s = with_step(s, {.name = "Keep", .map = [](Tree r) { return r; }});
    s = with_step(s, {.name = "Draw", .random_map = [&](Tree r, const Generator& rng) {
                        Generator copy = rng;
                        out.push_back(copy.bits64());
                        return r;
                      }});
    for (std::int64_t i : {5, 0, 5}) s->at(i);
    return out;
  };
  const auto once = draws(1, false);
  EXPECT_EQ(once, draws(1, false));
  EXPECT_EQ(once[0], once[2]);
  EXPECT_NE(once[0], once[1]);
  EXPECT_NE(once, draws(2, false));
  EXPECT_NE(once, draws(1, true));  // as in the reference
}

TEST(Stream, ARandomStepWithoutASeedIsAnError) {
  const Step step{.name = "Draw", .random_map = [](Tree r, const Generator&) { return r; }};
  try {
    with_step(stream(numbers(3)), step);
    FAIL();
  } catch (const konfig::Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("Draw: a random step needs a seed"));
  }
}

}  // namespace
}  // namespace kd::data
