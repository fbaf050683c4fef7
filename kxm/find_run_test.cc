#include "kxm/find_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/temp_folder.h"
#include "konfig/error.h"

namespace kxm {
namespace {

using ::testing::HasSubstr;

class FindRun : public testing::Test {
 protected:
  FindRun() {
    ::setenv("KD_STATE", (folder_.path() / "state").c_str(), 1);
    State state(state_folder());
    for (int units : {1, 3}) {
      Plan plan{.xid = state.reserve(), .title = "of " + std::to_string(units)};
      plan.dir = (folder_.path() / plan.title).string();
      for (int wid = 1; wid <= units; ++wid) {
        plan.units.push_back({.wid = wid,
                              .identity = std::to_string(wid),
                              .dir = wid == 3 ? "" : plan.dir + "/" + std::to_string(wid),
                              .jobs = {{.name = "train", .argv = {"true"}}}});
      }
      state.record(plan);
    }
  }
  ~FindRun() override { ::unsetenv("KD_STATE"); }

  static std::string error_of(const std::string& text) {
    try {
      return "no error: " + find_run(text);
    } catch (const konfig::Error& e) {
      return e.what();
    }
  }
  base::TempFolder folder_{"kxm_find_run_"};
};

TEST_F(FindRun, ByNumber) {
  const std::string dir = folder_.path().string();
  EXPECT_EQ(find_run("2/1"), dir + "/of 3/1");
  EXPECT_EQ(find_run("xid:2/2"), dir + "/of 3/2");
  EXPECT_EQ(find_run("1"), dir + "/of 1/1");
  EXPECT_EQ(find_run({.xid = 2, .wid = 2}), dir + "/of 3/2");
}

TEST_F(FindRun, OtherTextsStay) {
  const std::string dir = folder_.path().string();
  EXPECT_EQ(find_run(dir), dir);
  EXPECT_EQ(find_run("runs/none"), "runs/none");
  EXPECT_EQ(find_run(""), "");
}

// A unit in place of its folder; any other name may be that of a new one.
TEST_F(FindRun, FoldersThatMayBeNew) {
  const std::string dir = folder_.path().string();
  EXPECT_EQ(find_run_or_new("2/1"), dir + "/of 3/1");
  EXPECT_EQ(find_run_or_new("xid:1"), dir + "/of 1/1");
  for (const char* text : {"", "runs/a", "1", "2/9", "9/1"}) EXPECT_EQ(find_run_or_new(text), text);
}

TEST_F(FindRun, Mistakes) {
  EXPECT_THAT(error_of("xid:2"), HasSubstr("experiment 2 has 3 units: name one of them, such as "
                                           "2/1; `kd status 2` lists them"));
  EXPECT_THAT(error_of("9"),
              HasSubstr("there is no folder 9 here, and there is no experiment 9: the nearest are "
                        "1 'of 1', 2 'of 3'; `kd status` lists all"));
  EXPECT_THAT(error_of("2/3"), HasSubstr("2/3 has no folder: no job asked for one"));
  EXPECT_THAT(error_of("2/1/train"), HasSubstr("2/1/train is a job: the folder belongs to its "
                                               "unit, 2/1"));
  EXPECT_THAT(error_of("2/7"), HasSubstr("7"));
}

TEST_F(FindRun, Jobs) {
  const State state(state_folder(), State::Open::read);
  const Address address{.xid = 2, .wid = 1, .job = "train"};
  const UnitRow unit = find_unit(state, address);
  EXPECT_EQ(find_job(unit, address).what.name, "train");
  EXPECT_THROW(find_job(unit, {.xid = 2, .wid = 1, .job = "evl"}), konfig::Error);
}

}  // namespace
}  // namespace kxm
