// Where kd launch puts things, and how it calls them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/program.h"
#include "cli/small_run_test.h"
#include "cli/spawn_test.h"

namespace cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class LaunchFolders : public testing::Test {
 protected:
  Outcome here(const std::vector<std::string>& args) const {
    return kd(args, {.env = {{"KD_STATE", folder_ / "state"}}, .folder = folder_.path()});
  }
  TempFolder folder_;
};

TEST_F(LaunchFolders, ARootThatIsGivenHoldsTheRecords) {
  const std::vector<std::string> args = {"launch", "--xp=single", "--xp.target=/bin/true"};
  Outcome run = here(args);
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_TRUE(fs::exists(folder_ / "state/experiments/1"));
  EXPECT_FALSE(fs::exists(folder_ / "runs"));
  run = here({args[0], args[1], args[2], "--xp.root_dir=mine"});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.err, HasSubstr("in " + (folder_ / "mine/2")));
  EXPECT_TRUE(fs::exists(folder_ / "mine/2/.kxm"));
}

// What `kd train` takes works here.
TEST_F(LaunchFolders, TheFolderOfASingleTraining) {
  const Outcome run = here(small_run("launch", {"--cfg.num_train_steps=1", "--cfg.workdir=mine"}));
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_TRUE(fs::exists(folder_ / "mine/train_complete.txt"));
  EXPECT_THAT(here({"status", "1"}).out, HasSubstr("mine"));
}

TEST_F(LaunchFolders, LabelsShowWhatUnitsGet) {
  const Outcome run = here({"launch", "--xp=single", "--xp.target=/bin/true", "--xp.args.x=5",
                            "--sweep.x=[1,2]", "--sweep.y=[3]"});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.err, HasSubstr("--x is given for all units and swept, too"));
  EXPECT_THAT(here({"status", "1"}).out, AllOf(HasSubstr("x=5"), Not(HasSubstr("x=2"))));
}

TEST_F(LaunchFolders, DataFilesMaySayKxm) {
  write_text(folder_ / "xp.json",
             R"({"__qualname__": "kxm.Experiment", "jobs": {"a": {"__qualname__": "kxm.Job",
                 "target": "/bin/echo", "args": {"dir": {"__const__": "kxm.WU_DIR_PROXY"}}}}})");
  Outcome run = here({"launch", "--xp=xp.json"});
  EXPECT_EQ(run.code == kFine, false);
  EXPECT_THAT(run.err, HasSubstr("xp.root_dir: not set"));
  run = here({"launch", "--xp=xp.json", "--xp.root_dir=r"});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.err, HasSubstr("--dir=" + (folder_ / "r/1/1")));
}

}  // namespace
}  // namespace cli
