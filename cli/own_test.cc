// Every interface takes a user's own implementation, from a file.cc that the real program loads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>

#include "cli/program.h"
#include "cli/spawn_test.h"
#include "test_paths.h"

namespace cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// kd train of a config of tests/own, into <folder>/run.
Outcome train(const std::string& file, const TempFolder& folder) {
  return kd({"train", "--cfg=" KD_SOURCE_DIR "/tests/own/" + file, "--cfg.workdir=run"},
            {.folder = folder.path()});
}

void expect_called(const Outcome& run, const std::vector<std::string>& interfaces) {
  EXPECT_EQ(run.code, kFine) << run.err;
  for (const std::string& interface : interfaces) {
    EXPECT_THAT(run.err, HasSubstr("own " + interface + "\n"));
  }
}

// The interfaces of all components, but for the one whose two kinds kxm knows by name.
TEST(Own, EveryInterfaceIsThere) {
  std::set<std::string> interfaces;
  const std::regex component(R"(\nKONFIG_COMPONENT\((\w+::\w+),)");
  for (const char* part : {"kd", "kxm"}) {
    for (auto& entry : fs::recursive_directory_iterator(fs::path(KD_SOURCE_DIR) / part)) {
      if (entry.path().extension() != ".h") continue;
      const std::string text = read_text(entry.path());
      for (std::sregex_iterator found(text.begin(), text.end(), component), end; found != end;
           ++found) {
        interfaces.insert((*found)[1]);
      }
    }
  }
  interfaces.erase("kxm::AnyJob");
  EXPECT_GT(interfaces.size(), 20u);
  std::string own;
  for (const char* file : {"model.cc", "run.cc", "launch.cc"}) {
    own += read_text(KD_SOURCE_DIR "/tests/own/" + std::string(file));
  }
  for (const std::string& interface : interfaces) {
    EXPECT_THAT(own, HasSubstr("_COMPONENT(" + interface + ","));
  }
}

TEST(Own, DataModelAndOptimizer) {
  TempFolder folder;
  const Outcome run = train("model.cc", folder);
  expect_called(run, {"Source", "Transform", "Pipeline", "Initializer", "RnnCell", "Module", "Loss",
                      "Metric", "Summary", "ScheduleFn", "Optimizer", "MaskFn", "LabelFn", "SkipFn",
                      "PreservationPolicy"});
  const std::string numbers = read_text(folder / "run/train/metrics.csv");
  EXPECT_THAT(numbers, AllOf(HasSubstr("losses/l4"), HasSubstr("metrics/mean"),
                             HasSubstr("schedules/rate")));
  // The first and the last.
  EXPECT_TRUE(fs::exists(folder / "run/checkpoints/ckpt_0"));
  EXPECT_FALSE(fs::exists(folder / "run/checkpoints/ckpt_2"));
  EXPECT_TRUE(fs::exists(folder / "run/checkpoints/ckpt_4"));
}

TEST(Own, WhatSurroundsTheStep) {
  TempFolder folder;
  const Outcome run = train("run.cc", folder);
  expect_called(run, {"RunStrategy", "Evaluator", "Checkpoints", "InitTransform", "TrainStepFn",
                      "MetricWriter", "ProfilerFn", "ExporterFn"});
  EXPECT_THAT(run.out,
              AllOf(HasSubstr("train 4 losses/recon "), HasSubstr("own 1 metrics/largest "),
                    HasSubstr("own 3 metrics/largest ")));
  EXPECT_EQ(read_text(folder / "run/parameters.txt"),
            "decoder.bias\ndecoder.kernel\nencoder.bias\nencoder.kernel\n");
  EXPECT_THAT(read_text(folder / "run/step_times.csv"), AllOf(HasSubstr("0,"), HasSubstr("4,")));
  EXPECT_FALSE(fs::exists(folder / "run/checkpoints"));
}

TEST(Own, Experiment) {
  TempFolder folder;
  const Outcome run = kd({"launch", "--xp=" KD_SOURCE_DIR "/tests/own/launch.cc"},
                         {.env = {{"KD_STATE", folder / "state"}}, .folder = folder.path()});
  expect_called(run, {"SweepInfo", "JobsProvider", "Orchestrator", "DirFormat", "Executor"});
  EXPECT_THAT(run.out, HasSubstr("2 finished"));
  EXPECT_TRUE(fs::exists(folder / "runs/1/unit_a"));
  EXPECT_TRUE(fs::exists(folder / "runs/1/unit_b"));
}

TEST(Own, AnExecutorGivesWayToThePlaceThatIsTyped) {
  TempFolder folder;
  const Outcome run = kd({"launch", "--xp=" KD_SOURCE_DIR "/tests/own/launch.cc", "--on=local"},
                         {.env = {{"KD_STATE", folder / "state"}}, .folder = folder.path()});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("on this machine"), HasSubstr("1/1/first started"),
                             Not(HasSubstr("own Executor"))));
}

}  // namespace
}  // namespace cli
