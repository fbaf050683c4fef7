// Orchestrators of one's own, from the files in examples/launch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/lines.h"
#include "cli/program.h"
#include "cli/spawn_test.h"
#include "test_paths.h"

namespace cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Orchestrators : public testing::Test {
 protected:
  std::vector<std::string> command(const std::string& example) const {
    return {"launch", "--xp=examples/launch/" + example, "--xp.root_dir=" + folder_.path()};
  }
  Outcome launch(const std::string& example, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> args = command(example);
    args.insert(args.end(), more.begin(), more.end());
    return kd(args, at_root());
  }
  SpawnOptions at_root() const {
    return {.env = {{"KD_STATE", folder_ / "state"}}, .folder = KD_SOURCE_DIR};
  }
  int units() const {
    int count = 0;
    while (fs::exists(folder_ / ("1/" + std::to_string(count + 1)))) ++count;
    return count;
  }
  TempFolder folder_;
};

TEST_F(Orchestrators, AGraphOfJobs) {
  const Outcome run = launch("graph.cc");
  EXPECT_EQ(run.code, kFine) << run.err;
  std::string order;
  for (const std::string& line : base::lines_of(run.err)) {
    if (line.starts_with("1/2/") && line.find('|') == line.npos) order += line.substr(4) + "\n";
  }
  EXPECT_EQ(order,
            "train started\ntrain finished\nevaluate started\nevaluate finished\n"
            "report started\nreport finished\n");
}

TEST_F(Orchestrators, ASearchThatAsksAndTells) {
  const Outcome run = launch("search.cc");
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_EQ(units(), 6);
  EXPECT_THAT(run.out,
              AllOf(HasSubstr(" finished"), HasSubstr(" skipped"), Not(HasSubstr("failed"))));
  // What the search ended is done with.
  const Outcome again = kd({"resume", "1"}, at_root());
  EXPECT_EQ(again.code, kFine) << again.err;
  EXPECT_THAT(again.err, Not(HasSubstr("started")));
}

// The launcher dies with units still to be asked for.
TEST_F(Orchestrators, AKilledSearchGoesOn) {
  const std::string third = folder_ / "1/3/loss.txt";
  Outcome run = shell("export KD_STATE=" + (folder_ / "state") + "\ncd " + KD_SOURCE_DIR + "\n" +
                          line_of(command("search.cc")) + " & job=$!\nwhile [ ! -s " + third +
                          " ]; do kill -0 $job || exit 9; done\nkill -9 $job\n",
                      folder_.path());
  EXPECT_LT(units(), 6);
  run = kd({"resume", "1"}, at_root());
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_EQ(units(), 6);
}

}  // namespace
}  // namespace cli
