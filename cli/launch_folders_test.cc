// Where kd launch puts things, and how it calls them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/program.h"
#include "cli/small_run_test.h"
#include "cli/spawn_test.h"
#include "kxm/state.h"

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
  Outcome run = here(small_run("launch", {"--cfg.num_train_steps=1", "--cfg.workdir=mine"}));
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_TRUE(fs::exists(folder_ / "mine/train_complete.txt"));
  EXPECT_THAT(here({"status", "1"}).out, HasSubstr("mine"));
  // Another experiment is not to go on in it.
  const std::vector<std::string> again =
      small_run("launch", {"--cfg.num_train_steps=1", "--cfg.workdir=mine", "--dry_run"});
  run = here(again);
  EXPECT_EQ(run.code, kUsage);
  EXPECT_EQ(run.first_error_line(),
            "kd: error: unit 1: cfg.workdir: " + (folder_ / "mine") +
                " is the folder of 1/1; go on with that by `kd resume 1/1`, or choose another "
                "folder");
  // A unit in place of its folder.
  EXPECT_THAT(here(small_run("launch", {"--cfg.workdir=1/1"})).first_error_line(),
              HasSubstr((folder_ / "mine") + " is the folder of 1/1"));
  EXPECT_THAT(here(small_run("train", {"--cfg.num_train_steps=1", "--cfg.workdir=1/1"})).err,
              HasSubstr("writing to " + (folder_ / "mine") + "\n"));
  fs::create_directory_symlink(folder_ / ".", folder_ / "link");
  run = here(small_run("launch", {"--cfg.num_train_steps=1", "--cfg.workdir=link/mine"}));
  EXPECT_EQ(run.code, kUsage);
  EXPECT_THAT(run.err, HasSubstr("link/mine is the folder of 1/1"));
  run = here({"rm", "1"});
  EXPECT_EQ(run.out, "removed 1 (mnist_autoencoder)\nthe results are still in mine\n");
  EXPECT_THAT(here(again).err, HasSubstr("warning: cfg.workdir: " + (folder_ / "mine") +
                                         " is not empty; the training goes on from a checkpoint"));
}

TEST_F(LaunchFolders, LabelsShowWhatUnitsGet) {
  write_text(folder_ / "xp.yaml",
             "__qualname__: kxm.Experiment\njobs:\n  main:\n    __qualname__: kxm.Job\n"
             "    target: /bin/true\n    args: {x: 5}\n");
  const Outcome run = here({"launch", "--xp=xp.yaml", "--sweep.x=[1,2]", "--sweep.y=[3]"});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.err, HasSubstr("--x is given for all units and swept, too"));
  EXPECT_THAT(here({"status", "1"}).out, AllOf(HasSubstr("x=5"), Not(HasSubstr("x=2"))));
}

// The results of an experiment outlive its records, and a state may be lost.
TEST_F(LaunchFolders, ANumberWhoseFolderIsThereIsNotGiven) {
  const std::vector<std::string> args = {"launch", "--xp=single", "--xp.target=/bin/echo",
                                         "--xp.args.d=__kxm_wu_workdir__", "--xp.root_dir=r"};
  ASSERT_EQ(here(args).code, kFine);
  ASSERT_TRUE(fs::exists(folder_ / "r/1/1"));
  ASSERT_EQ(here({"rm", "1"}).code, kFine);
  for (const auto& entry : fs::directory_iterator(folder_ / "state")) {
    if (entry.path().filename().string().starts_with("state.db")) fs::remove(entry.path());
  }
  std::vector<std::string> dry = args;
  dry.emplace_back("--dry_run");
  EXPECT_THAT(here(dry).out, HasSubstr("would be experiment 2"));
  EXPECT_THAT(here(args).err, HasSubstr("in " + (folder_ / "r/2")));
  fs::remove_all(folder_ / "state");
  EXPECT_THAT(here(args).err, HasSubstr("in " + (folder_ / "r/3")));
  EXPECT_EQ(here({"status", "3"}).code, kFine);
}

// A name without a number cannot give way.
TEST_F(LaunchFolders, AFixedFolderWithOldResultsIsRefused) {
  const std::vector<std::string> args = {"launch",
                                         "--xp=single",
                                         "--xp.target=/bin/echo",
                                         "--xp.args.d=__kxm_wu_workdir__",
                                         "--xp.root_dir=r",
                                         "--xp.subdir_format.xp_dirname=all",
                                         "--sweep.x=[1,2]"};
  ASSERT_EQ(here(args).code, kFine);
  write_text(folder_ / "r/all/2/result", "");
  ASSERT_EQ(here({"rm", "1"}).code, kFine);
  const Outcome run = here(args);
  EXPECT_EQ(run.code, kUsage);
  EXPECT_EQ(run.first_error_line(),
            "kd: error: unit 2: " + (folder_ / "r/all/2") +
                " holds the results of an earlier experiment; remove it, or put {xid} into "
                "--xp.subdir_format.xp_dirname");
  fs::remove(folder_ / "r/all/2/result");
  EXPECT_THAT(here(args).err, HasSubstr("experiment 2 on this machine"));
}

// Its records have the place of another one's.
TEST_F(LaunchFolders, AFixedFolderWithRecordsIsRefused) {
  const std::vector<std::string> args = {"launch", "--xp=single", "--xp.target=/bin/true",
                                         "--xp.root_dir=r", "--xp.subdir_format.xp_dirname=all"};
  ASSERT_EQ(here(args).code, kFine);
  const Outcome run = here(args);
  EXPECT_EQ(run.code, kUsage);
  EXPECT_EQ(run.first_error_line(), "kd: error: " + (folder_ / "r/all") +
                                        ": holds experiment 1; give each experiment a folder of "
                                        "its own, with {xid} in its name");
  EXPECT_EQ(kxm::State(folder_ / "state").next_xid(), 2);
}

TEST_F(LaunchFolders, AFolderOfAnotherExperimentIsRefused) {
  const std::vector<std::string> args = {"launch",
                                         "--xp=single",
                                         "--xp.target=/bin/echo",
                                         "--xp.args.d=kxm.WU_DIR_PROXY",
                                         "--xp.root_dir=r",
                                         "--xp.subdir_format.wu_dirname=../../x",
                                         "--sweep.a=[1,2]"};
  Outcome run = here(args);
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("--d=" + (folder_ / "x-2")),
                             HasSubstr((folder_ / "x") + " is outside of the experiment's folder " +
                                       (folder_ / "r/1"))));
  run = here(args);
  EXPECT_EQ(run.code, kUsage);
  EXPECT_EQ(run.first_error_line(),
            "kd: error: unit 1: xp.subdir_format.wu_dirname: " + (folder_ / "x") +
                " is the folder of 1/1; go on with that by `kd resume 1/1`, or choose another "
                "folder");
  write_text(folder_ / "x/result", "");
  ASSERT_EQ(here({"rm", "1"}).code, kFine);
  EXPECT_THAT(here(args).first_error_line(),
              HasSubstr("x holds the results of an earlier experiment; remove it, or put {xid} "
                        "into --xp.subdir_format.wu_dirname"));
}

// Folders may be called as experiments are.
TEST_F(LaunchFolders, WhatElseANumberMayMean) {
  ASSERT_EQ(here({"launch", "--xp=single", "--xp.target=/bin/true"}).code, kFine);
  fs::create_directory(folder_ / "1");
  Outcome run = here({"resume", "1"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.err, HasSubstr("; what was launched is `kd resume xid:1`"));
  run = here({"resume", "1", "--quiet"});
  EXPECT_EQ(run.code, kUsage);
  EXPECT_THAT(run.err, HasSubstr("and 1 is a folder; what was launched is `kd resume xid:1`"));
  // One of another state.
  fs::remove(folder_ / "1");
  kd({"launch", "--xp=single", "--xp.target=/bin/true", "--xp.root_dir=."},
     {.env = {{"KD_STATE", folder_ / "other"}}, .folder = folder_.path()});
  run = here({"resume", "1"});
  EXPECT_EQ(run.code, kUsage);
  EXPECT_EQ(
      run.first_error_line(),
      "kd: error: 1 is the folder of an experiment 1 of another state; `kd resume xid:1` goes "
      "on with that of this state, and in a state of its own, `KD_STATE=FOLDER kd state "
      "rebuild 1`, with this one");
}

// Known before a number is used.
TEST_F(LaunchFolders, ARootThatCannotBeWrittenTo) {
  write_text(folder_ / "file", "");
  const Outcome run =
      here({"launch", "--xp=single", "--xp.target=/bin/true", "--xp.root_dir=file/r"});
  EXPECT_EQ(run.code, kUsage);
  EXPECT_EQ(run.first_error_line(), "kd: error: " + (folder_ / "file") +
                                        ": cannot be written to: Not a directory; choose another "
                                        "folder: --xp.root_dir=DIR");
  EXPECT_EQ(kxm::State(folder_ / "state").next_xid(), 1);
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
