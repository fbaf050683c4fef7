// Tests of random streams: which there are, when, and that their keys are the reference's.
#include "kd/train/rng_streams.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "konfig/error.h"

namespace kd::train {
namespace {

using random::Key;
using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(RngStreams, DefaultStreams) {
  RngStreams streams{.seed = 0};
  EXPECT_THAT(init_rngs(streams),
              ElementsAre(Pair("default", _), Pair("dropout", _), Pair("params", _)));
  EXPECT_THAT(train_rngs(streams, 0), ElementsAre(Pair("default", _), Pair("dropout", _)));
  EXPECT_THAT(eval_rngs(streams, 0), IsEmpty());
}

TEST(RngStreams, KnownKeys) {
  EXPECT_EQ(init_rngs({.seed = 0}).at("params"), (Key{3160654889, 3319257657}));
  EXPECT_EQ(train_rngs({.seed = 0}, 0).at("dropout"), (Key{3887769537, 406310790}));
  EXPECT_EQ(train_rngs({.seed = 0}, 1).at("dropout"), (Key{444791648, 2795876852}));
  EXPECT_EQ(init_rngs({.seed = 42}).at("params"), (Key{144941646, 3638351579}));
  EXPECT_EQ(train_rngs({.seed = 42}, 0).at("dropout"), (Key{3405224780, 1731725984}));
}

TEST(RngStreams, OverwritesReplaceAndAdd) {
  RngStreams streams{.stream_overwrites = {{.name = "dropout", .train = false, .eval = true},
                                           {.name = "mask"},
                                           {.name = "fixed", .per_step = false}},
                     .seed = 0};
  EXPECT_THAT(eval_rngs(streams, 3), ElementsAre(Pair("dropout", _)));
  EXPECT_THAT(train_rngs(streams, 3),
              ElementsAre(Pair("default", _), Pair("fixed", _), Pair("mask", _)));
  EXPECT_EQ(train_rngs(streams, 3).at("fixed"), train_rngs(streams, 4).at("fixed"));
  EXPECT_NE(train_rngs(streams, 3).at("mask"), train_rngs(streams, 4).at("mask"));
  EXPECT_NE(init_rngs(streams).at("mask"), train_rngs(streams, 0).at("mask"));
}

TEST(RngStreams, BadSteps) {
  try {
    train_rngs({.seed = 0}, -1);
    FAIL();
  } catch (const konfig::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("not -1"));
  }
  EXPECT_THROW(eval_rngs({.seed = 0}, std::int64_t{1} << 32), konfig::Error);
}

TEST(RngStreams, WithoutASeed) { EXPECT_THROW(init_rngs({}), konfig::Error); }

}  // namespace
}  // namespace kd::train
