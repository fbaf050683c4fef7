#include "kd/train/epochs.h"

#include <gtest/gtest.h>

#include <vector>

#include "konfig/expect_test.h"

namespace kd::train {
namespace {

// The steps of each epoch, counted one by one.
std::vector<std::int64_t> lengths(const EpochPlan& plan) {
  std::vector<std::int64_t> out;
  for (std::int64_t step = 0; step < plan.num_steps(); ++step) {
    const Place place = plan.at(step);
    EXPECT_EQ(place.step, step);
    if (place.it == 0) out.push_back(0);
    EXPECT_EQ(place.epoch, static_cast<std::int64_t>(out.size()) - 1);
    EXPECT_EQ(place.it, out.back());
    ++out.back();
  }
  EXPECT_EQ(plan.at(plan.num_steps()).it, 0);
  return out;
}

using Lengths = std::vector<std::int64_t>;

TEST(Epochs, EndAfterTheirSteps) {
  EXPECT_EQ(lengths(EpochPlan({.num_epochs = 3, .steps_per_epoch = 4}, {})), (Lengths{4, 4, 4}));
}

TEST(Epochs, EndWithTheData) {
  EXPECT_EQ(lengths(EpochPlan({.num_epochs = 2}, 5)), (Lengths{5, 5}));
  EXPECT_EQ(lengths(EpochPlan({.num_epochs = 2, .steps_per_epoch = 9}, 5)), (Lengths{5, 5}));
}

// The iterator goes on over epochs: a pass of 10 batches in epochs of 4.
TEST(Epochs, TheDataGoesOnOverEpochs) {
  EXPECT_EQ(lengths(EpochPlan({.num_epochs = 5, .steps_per_epoch = 4}, 10)),
            (Lengths{4, 4, 2, 4, 4}));
}

// No epoch is empty because the one before took the last batch.
TEST(Epochs, APassMayEndWithAnEpoch) {
  EXPECT_EQ(lengths(EpochPlan({.num_epochs = 3, .steps_per_epoch = 5}, 10)), (Lengths{5, 5, 5}));
}

TEST(Epochs, MayBeNone) {
  EXPECT_EQ(EpochPlan({.num_epochs = 0}, 10).num_steps(), 0);
  EXPECT_EQ(EpochPlan({.num_epochs = 3, .steps_per_epoch = 0}, {}).num_steps(), 0);
}

TEST(Epochs, ThatNeverEndAreRefused) {
  konfig::expect_error(konfig::ErrorKind::required, {"epochs.steps_per_epoch", "not set"},
                       [] { EpochPlan({.num_epochs = 3}, {}); });
  konfig::expect_error(konfig::ErrorKind::value, {"epochs.num_epochs", "got -1"},
                       [] { EpochPlan({.num_epochs = -1}, 4); });
}

// As the reference counts: after the updates 2 and 4 of an epoch of 6, the first one being 0.
TEST(Epochs, SomethingIsDueWithinThem) {
  const EpochPlan plan({.num_epochs = 2, .steps_per_epoch = 6}, {});
  Lengths due;
  for (std::int64_t step = 0; step <= plan.num_steps(); ++step) {
    if (is_due_in_epoch(plan.at(step), 2)) due.push_back(step);
  }
  EXPECT_EQ(due, (Lengths{0, 3, 5, 6, 9, 11, 12}));
  EXPECT_FALSE(is_due_in_epoch(plan.at(3), -1));
}

}  // namespace
}  // namespace kd::train
