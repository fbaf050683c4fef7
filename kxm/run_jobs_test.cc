#include "kxm/run_jobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/temp_folder.h"
#include "konfig/expect_test.h"
#include "konfig/lower.h"
#include "kxm/experiments.h"
#include "kxm/make_plan.h"
#include "kxm/proxies.h"

namespace kxm {
namespace {

using konfig::Dict;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(RunJobs, TheJobIsKdRunInTheUnitsFolder) {
  const Experiment xp{.jobs_provider = RunJobs(), .root_dir = "runs"};
  const Plan plan = make_plan(xp, {.xid = 7, .kd = "/bin/kd", .cwd = "/home"});
  ASSERT_EQ(plan.units.size(), 1u);
  EXPECT_THAT(plan.units[0].jobs[0].argv,
              ElementsAre("/bin/kd", "run", "--trainer.ckpt_dir=" + plan.units[0].dir));
  EXPECT_EQ(plan.units[0].jobs[0].role, Role::train);
}

TEST(RunJobs, SweptNamesAreItsFlags) {
  std::vector<std::string> args;
  konfig::ConfigDict xp = load_experiment({.name = "xp", .source = kRunExperiment}, args);
  xp["args"].as<konfig::ConfigDict>().set("cfg_file", "exp.yaml");
  const Plan plan = make_plan(
      xp, {.sweep = {{{"problem.weight_decay", "0.1"}}, {{"problem.weight_decay", "0.2"}}},
           .kd = "/bin/kd",
           .cwd = "/home"});
  EXPECT_EQ(plan.title, "kd_run");
  ASSERT_EQ(plan.units.size(), 2u);
  EXPECT_EQ(plan.units[1].dir, "/home/runs/1/2-problem.weight_decay=0.2");
  EXPECT_THAT(plan.units[1].jobs[0].argv,
              ElementsAre("/bin/kd", "run", "--cfg_file=exp.yaml",
                          "--trainer.ckpt_dir=" + plan.units[1].dir, "--problem.weight_decay=0.2"));
}

// An experiment as a config may give what its sweep sets, too: all show what the units read.
TEST(RunJobs, AFileGivenForAllIsShown) {
  const base::TempFolder folder;
  const std::string file = folder / "exp.yaml";
  std::ofstream(file) << "x: 1\n";
  std::vector<std::string> args;
  konfig::ConfigDict xp = load_experiment({.name = "xp", .source = kRunExperiment}, args);
  xp["args"].as<konfig::ConfigDict>().set("cfg_file", file_path("exp.yaml"));
  {
    const auto guard = xp.ignore_type();
    xp.set("files", konfig::Dict{{"exp.yaml", file}});
  }
  const Plan plan =
      make_plan(xp, {.sweep = {{{"cfg_file", "other.yaml"}}}, .kd = "/bin/kd", .cwd = "/home"});
  EXPECT_EQ(plan.units[0].args.at("cfg_file"), konfig::Value("exp.yaml"));
  EXPECT_EQ(plan.units[0].dir, "/home/runs/1/1-cfg_file=exp.yaml");
}

TEST(RunJobs, AConfigOfKdIsRefused) {
  const LoadedConfig config{.from = {.source = "mnist.py"}, .config = {}};
  EXPECT_THAT(konfig::error_of([&] { RunJobs().jobs({.config = &config}); }),
              HasSubstr("remove --cfg=mnist.py"));
}

}  // namespace
}  // namespace kxm
