#include "kxm/remove_files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <fstream>

#include "base/temp_folder.h"
#include "konfig/error.h"

namespace kxm {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RemoveFiles : public testing::Test {
 protected:
  // An experiment with these unit folders; its number. Those in this test's own folder are made.
  int record(const fs::path& dir, const std::vector<fs::path>& units) {
    Plan plan{.xid = state_.reserve(), .dir = dir.string()};
    for (auto& unit : units) {
      const int wid = static_cast<int>(plan.units.size()) + 1;
      if (unit.string().starts_with(folder_.string())) {
        fs::create_directories(unit);
        std::ofstream(unit / "result") << "x";
      }
      plan.units.push_back({.wid = wid,
                            .identity = std::to_string(wid),
                            .dir = unit.string(),
                            .jobs = {{.name = "train", .argv = {"true"}}}});
    }
    state_.record(plan);
    return plan.xid;
  }
  std::string error_of(int xid) const {
    try {
      files_to_remove(state_, xid);
    } catch (const konfig::Error& e) {
      return e.what();
    }
    return "no error";
  }
  base::TempFolder temp_{"kxm_remove_"};
  const fs::path folder_ = fs::canonical(temp_.path());
  State state_{folder_ / "state"};
};

TEST_F(RemoveFiles, FoldersOfUnits) {
  const int xid = record(folder_ / "a", {folder_ / "a/1", folder_ / "elsewhere/2"});
  const FilesToRemove files = files_to_remove(state_, xid);
  EXPECT_THAT(files.folders, ElementsAre(folder_ / "a/1"));
  EXPECT_THAT(files.outside, ElementsAre(folder_ / "elsewhere/2"));
  EXPECT_THAT(remove_files(files), IsEmpty());
  EXPECT_FALSE(fs::exists(folder_ / "a/1"));
  EXPECT_TRUE(fs::exists(folder_ / "elsewhere/2/result"));
  EXPECT_THAT(files_to_remove(state_, xid).folders, IsEmpty());  // again: nothing is there
}

TEST_F(RemoveFiles, WhatLinksLeadToStays) {
  const fs::path precious = folder_ / "precious";
  fs::create_directories(precious);
  std::ofstream(precious / "file") << "x";
  const int xid = record(folder_ / "a", {folder_ / "a/1"});
  fs::create_directory_symlink(precious, folder_ / "a/1/link");
  remove_files(files_to_remove(state_, xid));
  EXPECT_FALSE(fs::exists(folder_ / "a/1"));
  EXPECT_TRUE(fs::exists(precious / "file"));
  // A unit's folder that is a link itself.
  fs::create_directories(folder_ / "b");
  fs::create_directory_symlink(precious, folder_ / "b/2");
  const int linked = record(folder_ / "b", {folder_ / "b/2"});
  remove_files(files_to_remove(state_, linked));
  EXPECT_FALSE(fs::exists(fs::symlink_status(folder_ / "b/2")));
  EXPECT_TRUE(fs::exists(precious / "file"));
}

TEST_F(RemoveFiles, NotThroughALinkThatLeadsOut) {
  fs::create_directories(folder_ / "precious");
  fs::create_directories(folder_ / "a");
  fs::create_directory_symlink(folder_ / "precious", folder_ / "a/link");
  const int xid = record(folder_ / "a", {folder_ / "a/link/1"});
  EXPECT_THAT(error_of(xid), HasSubstr("/a/link/1 is not removed: a link leads out of "));
}

TEST_F(RemoveFiles, NothingThatOthersNeed) {
  EXPECT_THAT(error_of(record(folder_ / "x", {folder_ / "x/state", folder_ / "x/1"})), "no error");
  EXPECT_THAT(error_of(record(folder_, {folder_ / "state"})),
              HasSubstr("is not removed: it is or holds the state of kd"));
  const fs::path before = fs::current_path();
  const int here = record(folder_ / "y", {folder_ / "y/1"});
  fs::current_path(folder_ / "y/1");
  EXPECT_THAT(error_of(here), HasSubstr("it is or holds the current folder"));
  fs::current_path(before);
  const int outer = record(folder_ / "all", {folder_ / "all/1"});
  const int inner = record(folder_ / "all/1/more", {folder_ / "all/1/more/1"});
  EXPECT_THAT(error_of(outer),
              HasSubstr("it holds the results of experiment " + std::to_string(inner)));
  // As --cfg.workdir names one, in the folder of another experiment.
  const int guest = record(folder_ / "v", {folder_ / "w/1"});
  const int host = record(folder_ / "w", {folder_ / "w/1"});
  EXPECT_THAT(error_of(host), HasSubstr("it belongs to " + std::to_string(guest) + "/1, too"));
  EXPECT_THAT(result_folders(state_, guest), ElementsAre(folder_ / "v", folder_ / "w/1"));
}

// As `kd train` and `kd resume FOLDER` hold the folder of a run.
TEST_F(RemoveFiles, NoFolderInWhichATrainingRuns) {
  const int xid = record(folder_ / "a", {folder_ / "a/1"});
  const int training = ::open((folder_ / "a/1").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(::flock(training, LOCK_EX | LOCK_NB), 0);
  EXPECT_THAT(error_of(xid), HasSubstr("a/1 is not removed: a training runs in it"));
  ::close(training);
  EXPECT_EQ(error_of(xid), "no error");
}

}  // namespace
}  // namespace kxm
