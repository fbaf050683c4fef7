// kd stop and kd rm.
#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "cli/launched_test.h"
#include "cli/program.h"
#include "test_paths.h"

namespace cli {
namespace {

namespace fs = std::filesystem;
using konfig::Dict;
using konfig::List;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class KdStop : public Launched {
 protected:
  // The state of a unit once it runs no more; "running" if that takes long.
  std::string state_after(const std::string& unit) const {
    std::string state = "running";
    for (int i = 0; i < 100 && state == "running"; ++i) {
      state = json({"status", unit}).as<Dict>().at("state").as<std::string>();
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return state;
  }
  // Returns when the job has begun.
  void start_and_wait(int xid, const std::string& file) {
    start(xid);
    for (int i = 0; i < 100 && !fs::exists(file); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    ASSERT_TRUE(fs::exists(file));
  }
  const std::string begun_ = folder_ / "begun";
  const std::string saves_ =
      "trap 'echo saved; exit 0' TERM; touch '" + begun_ + "'; while :; do sleep 0.05; done";
};

TEST_F(KdStop, LetsJobsSave) {
  start_and_wait(record("mine", {{{}, {job("train", saves_)}}}), begun_);
  const Outcome run = kd({"stop", "1"});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.out, StartsWith("asked to save and stop: 1/1\n`kd status 1 --watch` shows"));
  EXPECT_EQ(state_after("1/1"), "stopped");
  EXPECT_THAT(kd({"logs", "1"}).out, HasSubstr("saved\n"));
  const Outcome again = kd({"stop", "1"});
  EXPECT_EQ(again.code, kFine);
  EXPECT_EQ(again.out, "1: nothing runs or waits\n");
}

// This job goes on all the same.
TEST_F(KdStop, WhatWasAskedIsShown) {
  const std::string deaf = "trap '' TERM; touch '" + begun_ + "'; while :; do sleep 0.05; done";
  start_and_wait(record("mine", {{{}, {job("train", deaf)}}}), begun_);
  EXPECT_THAT(kd({"status", "1"}).out, Not(HasSubstr("asked to stop")));
  kd({"stop", "1"});
  EXPECT_THAT(kd({"status", "1"}).out, HasSubstr("asked to stop"));
  kd({"stop", "1", "--now"});
  EXPECT_EQ(state_after("1/1"), "stopped");
}

// Its launcher died before it was started.
TEST_F(KdStop, GivesUpWhatWaits) {
  record("mine", {{{}, {job("train", "true")}}});
  EXPECT_EQ(kd({"stop", "1"}).code, kFine);
  EXPECT_EQ(json({"status", "1/1"}).as<Dict>().at("state"), konfig::Value("stopped"));
  EXPECT_THAT(kd({"status", "1"}).out,
              HasSubstr("\n`kd resume 1` goes on with what was stopped\n"));
}

TEST_F(KdStop, SeveralAtOnce) {
  record("mine", {{{}, {job("train", "true")}}});
  record("mine", {{{}, {job("train", "true")}}, {{}, {job("train", "true")}}});
  const auto state = [&](const std::string& unit) {
    return json({"status", unit}).as<Dict>().at("state").as<std::string>();
  };
  EXPECT_EQ(kd({"stop", "1", "2/3"}).code, kFailure);
  EXPECT_EQ(state("1/1"), "waiting") << "a wrong name is known before the first is stopped";
  EXPECT_EQ(kd({"stop", "1", "2/2"}).code, kFine);
  EXPECT_EQ(state("1/1"), "stopped");
  EXPECT_EQ(state("2/1"), "waiting");
  EXPECT_EQ(state("2/2"), "stopped");
}

TEST_F(KdStop, KillsNow) {
  start_and_wait(record("mine", {{{}, {job("train", saves_)}}}), begun_);
  const konfig::Value said = json({"stop", "1/1", "--now"});
  EXPECT_EQ(said, konfig::Value(Dict{
                      {"xid", 1}, {"how", "now"}, {"through_launcher", false}, {"wids", List{1}}}));
  EXPECT_EQ(state_after("1/1"), "stopped");
  EXPECT_EQ(kd({"logs", "1"}).out.find("saved"), std::string::npos);
}

TEST_F(KdStop, ThroughItsLauncher) {
  const int xid = record("mine", {{{}, {job("train", saves_)}}});
  kxm::RunResult result;
  std::thread launcher([&] { result = Launched::run(xid); });
  for (int i = 0; i < 100 && !fs::exists(begun_); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  const Outcome refused = kd({"rm", "1"});
  EXPECT_EQ(refused.code, kFailure);
  EXPECT_EQ(refused.first_error_line(), "kd: error: experiment 1 is running: first `kd stop 1`");
  const konfig::Value said = json({"stop", "1"});
  EXPECT_EQ(said.as<Dict>().at("through_launcher"), konfig::Value(true));
  launcher.join();
  EXPECT_EQ(state_after("1/1"), "stopped");
}

TEST_F(KdStop, Mistakes) {
  record("mine", {{{}, {job("train", "true")}}});
  Outcome run = kd({"stop", "2"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.first_error_line(), StartsWith("kd: error: there is no experiment 2"));
  run = kd({"stop", "1/1/train"});
  EXPECT_EQ(run.code, kUsage);
  EXPECT_THAT(run.first_error_line(), HasSubstr("stopped together: kd stop 1/1"));
  run = kd({"stop"});
  EXPECT_EQ(run.code, kUsage);
}

class KdRm : public KdStop {
 protected:
  const std::string dir_ = folder_ / "mine_1";
};

TEST_F(KdRm, ForgetsAndLeavesTheResults) {
  launch("mine", {{{}, {job("train", "touch result")}}});
  write_text(dir_ + "/1/result", "x");
  const Outcome run = kd({"rm", "1"}, folder_.path());
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_EQ(run.out, "removed 1 (mine)\nthe results are still in mine_1\n");
  EXPECT_TRUE(fs::exists(dir_ + "/1/result"));
  EXPECT_EQ(kd({"status", "1"}).code, kFailure);
  // Its number is not given again.
  EXPECT_EQ(record("mine", {{{}, {job("train", "true")}}}), 2);
}

TEST_F(KdRm, OfAFolderThatIsGone) {
  launch("mine", {{{}, {job("train", "true")}}});
  fs::remove_all(dir_);
  const Outcome run = kd({"rm", "1"}, folder_.path());
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_EQ(run.out, "removed 1 (mine)\n");
}

TEST_F(KdRm, SeveralAtOnce) {
  for (int i = 0; i < 3; ++i) record("mine", {{{}, {job("train", "true")}}});
  EXPECT_EQ(kd({"rm", "1", "9"}).code, kFailure);
  EXPECT_EQ(json({"status"}).as<List>().size(), 3u)
      << "a wrong name is known before the first goes";
  EXPECT_EQ(kd({"rm", "1", "3", "1"}).code, kFine);
  EXPECT_EQ(json({"status"}).as<List>().size(), 1u);
}

TEST_F(KdRm, AsksBeforeItRemovesFolders) {
  launch("mine", {{{}, {job("train", "true")}}, {{}, {job("train", "true")}}});
  write_text(dir_ + "/1/result", "x");
  const Outcome asked = kd({"rm", "1", "--files"});
  EXPECT_EQ(asked.code, kUsage);
  EXPECT_THAT(asked.first_error_line(), StartsWith("kd: error: remove 1 (mine) with 2 folders: "));
  EXPECT_THAT(asked.first_error_line(), HasSubstr("There is no terminal to ask: add --yes"));
  EXPECT_TRUE(fs::exists(dir_ + "/1/result"));
  const Outcome run = kd({"rm", "1", "--files", "--yes"}, folder_.path());
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_EQ(run.out, "removed 1 (mine) and mine_1/1, mine_1/2\n");
  EXPECT_FALSE(fs::exists(dir_));
}

TEST_F(KdRm, SaysWhatIsLeft) {
  launch("mine", {{{}, {job("train", "true")}}});
  write_text(dir_ + "/notes.txt", "x");
  const Outcome run = kd({"rm", "1", "--files", "--yes"}, folder_.path());
  EXPECT_EQ(run.out, "removed 1 (mine) and mine_1/1\nleft in mine_1: mine_1/notes.txt\n");
  EXPECT_TRUE(fs::exists(dir_ + "/notes.txt"));
  EXPECT_FALSE(fs::exists(dir_ + "/1"));
}

TEST_F(KdRm, ANumberThatNothingCameOf) {
  EXPECT_EQ(kxm::State(state_folder_).reserve(), 1);
  EXPECT_THAT(kd({"status", "1"}).out, StartsWith("1: never launched\n"));
  EXPECT_EQ(kd({"rm", "1"}).out, "removed 1\n");
  EXPECT_EQ(json({"status"}), konfig::Value(List{}));
}

TEST_F(KdRm, AtATerminal) {
  launch("mine", {{{}, {job("train", "true")}}});
  write_text(dir_ + "/1/result", "x");
  const Outcome run = spawn(
      "/bin/sh",
      {"-c", "printf 'no\n' | script -qec \"$0 rm 1 --files\" /dev/null", KD_BINARY_DIR "/kd"},
      {.env = {{"KD_STATE", state_folder_}}});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.out, HasSubstr("? [y/N] "));
  EXPECT_THAT(run.out, HasSubstr("nothing was removed"));
  EXPECT_TRUE(fs::exists(dir_ + "/1/result"));
}

TEST_F(KdRm, Mistakes) {
  start_and_wait(record("mine", {{{}, {job("train", saves_)}}}), begun_);
  Outcome run = kd({"rm", "1"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_EQ(run.first_error_line(), "kd: error: experiment 1 is running: first `kd stop 1`");
  EXPECT_EQ(kd({"stop", "1", "--now"}).code, kFine);
  EXPECT_EQ(state_after("1/1"), "stopped");
  run = kd({"rm", "1/1"});
  EXPECT_EQ(run.code, kUsage);
  EXPECT_EQ(run.first_error_line(), "kd: error: 1/1: experiments are removed whole: kd rm 1");
}

}  // namespace
}  // namespace cli
