#include "kxm/slurm/lanes_impl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace kxm::slurm {
namespace {

TEST(SlurmLanes, ShareACap) {
  for (int cap = 1; cap < 12; ++cap) {
    for (std::size_t batches = 1; batches < 12; ++batches) {
      const std::size_t tasks = 11 * batches;
      int at_once = 0;
      for (const Lane& lane : share_cap(cap, tasks, batches)) {
        EXPECT_GT(lane.width, 0);
        at_once += lane.width;
      }
      EXPECT_EQ(at_once, cap);
    }
  }
  // One task needs no more than one place of eight.
  const auto few = share_cap(8, 1, 1);
  ASSERT_EQ(few.size(), 1u);
  EXPECT_EQ(few.front().width, 1);
}

TEST(SlurmLanes, ArraysOfALaneFollowEachOther) {
  Lanes lanes(share_cap(5, 100, 10));
  ASSERT_EQ(lanes.all().size(), 5u);
  for (int id = 1; id <= 10; ++id) {
    const Lane lane = lanes.next();
    EXPECT_EQ(lane.width, 1);
    EXPECT_EQ(lane.after, id > 5 ? std::optional<std::int64_t>(id - 5) : std::nullopt);
    lanes.took({.id = id});
  }
  Lanes no_cap;
  EXPECT_EQ(no_cap.next().width, 0);
  no_cap.took({.id = 1});
  EXPECT_FALSE(no_cap.next().after);
}

}  // namespace
}  // namespace kxm::slurm
