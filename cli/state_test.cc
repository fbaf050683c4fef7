// kd state: a database that was lost, or is another machine's.
#include <gmock/gmock.h>

#include <filesystem>

#include "cli/launched_test.h"
#include "cli/program.h"

namespace cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class KdState : public Launched {
 protected:
  KdState() { launch("mine", {{{{"lr", 0.5}}, {job("train", "exit 3")}}}); }
};

TEST_F(KdState, ALostDatabase) {
  const std::string before = kd({"status", "1"}).out;
  EXPECT_THAT(before, StartsWith("1 mine: 1 failed\n"));
  for (const char* file : {"state.db", "state.db-wal", "state.db-shm"}) {
    fs::remove(state_folder_ + "/" + file);
  }
  EXPECT_EQ(kd({"status", "1"}).out, before);
  EXPECT_FALSE(fs::exists(state_folder_ + "/state.db"));  // looking makes nothing
  const Outcome run = kd({"state", "rebuild"});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_EQ(run.out, "found 1 experiment; `kd status` lists them\n");
  EXPECT_TRUE(fs::exists(state_folder_ + "/state.db"));
  EXPECT_EQ(kd({"status", "1"}).out, before);
}

TEST_F(KdState, OfAnotherMachine) {
  const std::string before = kd({"status", "1"}).out;
  const SpawnOptions other = {.env = {{"KD_STATE", folder_ / "other"}}};
  const Outcome run = cli::kd({"state", "rebuild", folder_ / "mine_1"}, other);
  EXPECT_EQ(run.out, "found 1 experiment; `kd status` lists them\n") << run.err;
  EXPECT_EQ(cli::kd({"status", "1"}, other).out, before);
  EXPECT_EQ(cli::kd({"state", "rebuild", folder_.path(), "--format=json"}, other).out,
            "{\"folder\": \"" + folder_ / "other" + "\", \"found\": 1, \"missing\": []}\n");
}

TEST_F(KdState, UpToDate) {
  const Outcome run = kd({"state", "upgrade"});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_EQ(run.out, state_folder_ + ": up to date\n");
}

TEST_F(KdState, Mistakes) {
  Outcome run = kd({"state", "rebuild", folder_ / "none"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.first_error_line(), StartsWith("kd: error: there is no folder "));
  fs::create_directories(folder_ / "empty");
  run = kd({"state", "rebuild", folder_ / "empty"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.first_error_line(), HasSubstr("empty: no experiment in it"));
}

}  // namespace
}  // namespace cli
