#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "base/temp_folder.h"
#include "konfig/error.h"
#include "kxm/kxm.h"
#include "kxm/state.h"

namespace kxm {
namespace {

using ::testing::HasSubstr;

class DirectApi : public testing::Test {
 protected:
  DirectApi() { ::setenv("KD_STATE", (folder_.path() / "state").c_str(), 1); }
  ~DirectApi() override {
    ::unsetenv("KD_STATE");
    std::filesystem::current_path(before_);
  }
  const std::filesystem::path before_ = std::filesystem::current_path();
  base::TempFolder folder_{"kxm_direct."};
};

// The seed's minimal experiment.
TEST_F(DirectApi, LaunchRunsIt) {
  const Experiment xp{
      .jobs = {{"train", Job{.target = "/bin/echo", .args = {{"workdir", WU_DIR_PROXY}}}}},
      .root_dir = folder_.path().string() + "/{author}/experiments/",
  };
  const int xid = xp.launch();
  EXPECT_EQ(xid, 1);
  EXPECT_EQ(State(state_folder(), State::Open::read).unit(1, 1).state, JobState::finished);
}

// As docs/kxm.md has it.
TEST_F(DirectApi, InTheDocs) {
  std::filesystem::current_path(folder_.path());
  kxm::Experiment xp{
      .jobs = {{"train",
                kxm::Job{.target = "/bin/echo", .args = {{"workdir", kxm::WU_DIR_PROXY}}}}},
      .root_dir = "runs",
  };
  xp.launch();
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "runs/1/.kxm"));
}

TEST_F(DirectApi, FailedUnitsAreAnError) {
  const Experiment xp{.jobs = {{"main", Job{.target = "/bin/false"}}}};
  try {
    xp.launch();
    ADD_FAILURE();
  } catch (const konfig::Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("experiment 1: 1 of 1 units failed; see `kd status 1`"));
  }
}

}  // namespace
}  // namespace kxm
