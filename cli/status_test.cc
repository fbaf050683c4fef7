// kd status: of all experiments, of one, of a unit and of a job.
#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "base/lines.h"
#include "cli/launch_view.h"
#include "cli/launched_test.h"
#include "cli/program.h"

namespace cli {
namespace {

namespace fs = std::filesystem;
using konfig::Dict;
using konfig::List;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class KdStatus : public Launched {
 protected:
  int launch_three() {
    return launch("mine", {{{{"lr", 0.1}}, {job("train", "true")}},
                           {{{"lr", 0.2}}, {job("train", "echo no >&2; exit 3")}},
                           {{{"lr", 0.3}}, {job("train", "true"), job("eval", "true")}}});
  }
};

TEST_F(KdStatus, NothingLaunchedYet) {
  const Outcome run = kd({"status"});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_EQ(run.out, "nothing was launched yet; `kd launch --help` says how\n");
  EXPECT_EQ(kd({"status", "--format=json"}).out, "[]\n");
  EXPECT_FALSE(fs::exists(state_folder_));  // looking makes nothing
}

TEST_F(KdStatus, ExperimentsTheNewestFirst) {
  launch_three();
  record("later", {{{}, {job("train", "true")}}});
  const Outcome run = kd({"status"});
  ASSERT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.out, StartsWith("  XID  TITLE  UNITS"));
  EXPECT_THAT(run.out, ContainsRegex("\n  2 +later +1 waiting +20[0-9-]+ [0-9:]+ +me@.* local"));
  EXPECT_THAT(run.out, ContainsRegex("\n  1 +mine +2 finished, 1 failed +20"));
  EXPECT_LT(run.out.find("later"), run.out.find("mine"));
  EXPECT_THAT(
      kd({"status", "--limit=1"}).out,
      AllOf(Not(HasSubstr("mine")), EndsWith("only the newest 1: --all shows every one\n")));
  const konfig::Value all = json({"status"});
  ASSERT_EQ(all.as<List>().size(), 2u);
  const Dict& mine = all.as<List>()[1].as<Dict>();
  EXPECT_EQ(mine.at("xid"), konfig::Value(1));
  EXPECT_EQ(mine.at("title"), konfig::Value("mine"));
  EXPECT_TRUE(mine.at("launcher").is_none());
  EXPECT_EQ(mine.at("counts").as<Dict>().at("failed"), konfig::Value(1));
  EXPECT_EQ(mine.at("counts").as<Dict>().at("total"), konfig::Value(3));
}

TEST_F(KdStatus, UnitsOfAnExperiment) {
  launch_three();
  const Outcome run = kd({"status", "1"}, folder_.path());
  ASSERT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.out, StartsWith("1 mine: 2 finished, 1 failed\nlaunched 20"));
  EXPECT_THAT(run.out, HasSubstr("\nfolder: mine_1\n"));
  EXPECT_THAT(run.out, ContainsRegex("\n  1/1 +finished +lr=0.1 +train .*mine_1/1\n"));
  EXPECT_THAT(run.out, ContainsRegex("\n  1/2 +failed +lr=0.2 +train .*exit code 3 +mine_1/2\n"));
  EXPECT_THAT(run.out, ContainsRegex("\n  1/3 +finished +lr=0.3 +train, eval "));
  EXPECT_THAT(run.out, EndsWith("`kd logs 1/2` shows why, `kd resume 1` runs again what failed\n"));
}

TEST_F(KdStatus, FailedOnesFirstIfThereAreMany) {
  launch_three();
  const Outcome run = kd({"status", "1", "--limit=2"});
  EXPECT_LT(run.out.find("\n  1/2 "), run.out.find("\n  1/1 ")) << run.out;
  EXPECT_THAT(run.out, Not(HasSubstr("\n  1/3 ")));
  EXPECT_THAT(run.out, HasSubstr("\n1 more unit: --all shows them, --state=running some\n"));
  EXPECT_THAT(kd({"status", "1", "--limit=2", "--all"}).out, HasSubstr("\n  1/3 "));
  const std::string failed = kd({"status", "1", "--state=failed"}).out;
  EXPECT_THAT(failed, HasSubstr("\n  1/2 "));
  EXPECT_THAT(failed, Not(HasSubstr("\n  1/1 ")));
}

TEST_F(KdStatus, Json) {
  launch_three();
  const konfig::Value found = json({"status", "1"});
  const List& units = found.as<Dict>().at("units").as<List>();
  ASSERT_EQ(units.size(), 3u);
  const Dict& failed = units[1].as<Dict>();
  EXPECT_EQ(failed.at("wid"), konfig::Value(2));
  EXPECT_EQ(failed.at("state"), konfig::Value("failed"));
  EXPECT_EQ(failed.at("args"), konfig::Value(Dict{{"lr", 0.2}}));
  const Dict& job = failed.at("jobs").as<List>()[0].as<Dict>();
  EXPECT_EQ(job.at("name"), konfig::Value("train"));
  EXPECT_EQ(job.at("why"), konfig::Value("exit code 3"));
  EXPECT_EQ(job.at("argv"), konfig::Value(List{"/bin/sh", "-c", "echo no >&2; exit 3"}));
  const Dict& attempt = job.at("attempts").as<List>()[0].as<Dict>();
  EXPECT_EQ(attempt.at("number"), konfig::Value(1));
  EXPECT_EQ(attempt.at("ended").as<Dict>().at("code"), konfig::Value(3));
  EXPECT_EQ(read_text(attempt.at("log").as<std::string>()), "no\n");
  EXPECT_EQ(json({"status", "1/2"}).as<Dict>().at("jobs").as<List>().size(), 1u);
  EXPECT_EQ(json({"status", "1/2/train"}).as<Dict>().at("state"), konfig::Value("failed"));
}

TEST_F(KdStatus, UnitAndJob) {
  launch_three();
  const Outcome run = kd({"status", "1/2"}, folder_.path());
  ASSERT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.out, StartsWith("1/2: failed\n  swept   lr=0.2\n  folder  mine_1/2\n"));
  EXPECT_THAT(run.out, HasSubstr("\ntrain: failed: exit code 3\n"));
  EXPECT_THAT(run.out, HasSubstr("  command    /bin/sh -c 'echo no >&2; exit 3'\n"));
  EXPECT_THAT(run.out, ContainsRegex("  attempt 1  exit code 3, started 20.*, took 00:0"));
  EXPECT_THAT(run.out, ContainsRegex("  log        .*log.txt\n"));
  const Outcome one = kd({"status", "1/3/eval"});
  EXPECT_THAT(one.out, AllOf(StartsWith("eval: finished\n"), Not(HasSubstr("train"))));
}

TEST_F(KdStatus, WatchesUntilAllIsDone) {
  const int xid = record("mine", {{{}, {job("train", "sleep 1")}}});
  start(xid);
  const Outcome run = kd({"status", "1", "--watch"});
  EXPECT_EQ(run.code, kFine);
  EXPECT_EQ(run.err, "1 mine: 1 running\n");
  EXPECT_THAT(run.out, StartsWith("1 mine: 1 finished\n"));
  // What nothing will start is not waited for.
  record("mine", {{{}, {job("train", "true")}}});
  const Outcome waiting = kd({"status", "2", "--watch"});
  EXPECT_THAT(waiting.out, EndsWith("nothing starts the rest: `kd resume 2` does\n"));
}

TEST_F(KdStatus, Mistakes) {
  EXPECT_EQ(kd({"status", ""}).code, kUsage);
  Outcome run = kd({"status", "17"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.first_error_line(),
              StartsWith("kd: error: there is no experiment 17: nothing was launched yet"));
  launch_three();
  run = kd({"status", "17"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_EQ(
      run.first_error_line(),
      "kd: error: there is no experiment 17: the nearest are 1 'mine'; `kd status` lists all");
  run = kd({"status", "mine"});
  EXPECT_EQ(run.code, kUsage);
  EXPECT_THAT(run.first_error_line(), StartsWith("kd: error: 'mine': expected the number of an"));
  run = kd({"status", "1/9"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.first_error_line(), HasSubstr("9"));
  run = kd({"status", "1/1/evl"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_EQ(run.first_error_line(), "kd: error: 1/1 has no job 'evl'; it has train");
  run = kd({"status", "--state=lost"});
  EXPECT_EQ(run.code, kUsage);
  EXPECT_THAT(run.first_error_line(), StartsWith("kd: error: --state: expected failed, running"));
}

// The time between attempts does not count.
TEST_F(KdStatus, TimeIsWhatJobsTook) {
  const int xid = record("mine", {{{}, {job("train", "test -e fixed")}}});
  run(xid);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  write_text(folder_ / "fixed", "");
  run(xid, {.again = true});
  const konfig::Value unit = json({"status", "1/1"});
  double took = 0;
  const konfig::Value found = unit.as<Dict>().at("jobs").as<List>()[0].as<Dict>().at("attempts");
  ASSERT_EQ(found.as<List>().size(), 2u);
  for (auto& attempt : found.as<List>()) {
    const Dict& ended = attempt.as<Dict>().at("ended").as<Dict>();
    took += ended.at("ended").as<double>() - ended.at("started").as<double>();
  }
  EXPECT_NEAR(unit.as<Dict>().at("seconds").as<double>(), took, 1e-3);
}

// Takes nothing.
struct Full {
  std::vector<bool> submit(std::span<const kxm::Attempt> attempts) const {
    return std::vector<bool>(attempts.size(), false);
  }
  std::vector<kxm::Seen> poll(std::span<const kxm::Attempt> attempts) const {
    return std::vector<kxm::Seen>(attempts.size());
  }
  void stop(std::span<const kxm::Attempt>, kxm::Stop) const {}
};

TEST_F(KdStatus, WhatWasNeverTakenTookNoTime) {
  const int xid = record("full", {{{}, {job("train", "true")}}});
  kxm::State state(state_folder_);
  kxm::Stopper stopper;
  kxm::run(state, xid, Full(),
           {.on_tick = [&] { stopper.ask(kxm::Stop::gently); }, .stopper = &stopper});
  const Dict unit = json({"status", "1/1"}).as<Dict>();
  EXPECT_EQ(unit.at("state"), konfig::Value("stopped"));
  EXPECT_EQ(unit.at("seconds"), konfig::Value(0.0));
  EXPECT_THAT(kd({"status", "1"}).out, Not(HasSubstr("TIME")));
}

TEST_F(KdStatus, TextsOfOthersBreakNoTable) {
  launch("a\nb\x1b[2J", {{{{"lr", "x\ny"}}, {job("train", "echo '\x1b[2J'")}}});
  const Outcome all = kd({"status"}), one = kd({"status", "1"}), unit = kd({"status", "1/1"});
  EXPECT_THAT(all.out, HasSubstr("  a\\nb\\x1b[2J  "));
  EXPECT_THAT(one.out, StartsWith("1 a\\nb\\x1b[2J: 1 finished\n"));
  EXPECT_THAT(unit.out, HasSubstr("-c $'echo \\'\\033[2J\\''"));
  for (const Outcome* each : {&all, &one, &unit}) {
    EXPECT_EQ(each->out.find('\x1b'), std::string::npos);
  }
  EXPECT_EQ(kd({"__complete", "status", ""}).out, "1\ta\\nb\\x1b[2J\n");
  EXPECT_THAT(kd({"status", "9"}).err, HasSubstr("1 'a\nb\\x1b[2J'"));
}

// A terminal of the tests has 80 columns.
TEST_F(KdStatus, LongTextsAreCutToTheTerminal) {
  const std::string name = std::string(90, 'n'), value = std::string(35, 'v');
  launch(name, {{{{"lr", value}, {"wd", value}}, {job("train", "true")}}});
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"status"}, {"status", "1"}}) {
    const Outcome run =
        cli::kd(args, {.env = {{"KD_STATE", state_folder_}, {"NO_COLOR", "1"}}, .terminal = true});
    EXPECT_EQ(run.code, kFine);
    for (const std::string& line : base::lines_of(run.out)) {
      if (line.starts_with("  ")) EXPECT_LE(line.size(), 81u) << line;
    }
    EXPECT_THAT(run.out, HasSubstr("..."));
  }
  EXPECT_THAT(kd({"status"}).out, HasSubstr(name)) << "programs get all of it";
}

// What tells the units apart is there in full: their folders say it once more.
TEST_F(KdStatus, SweptValuesFitATerminal) {
  const std::string key = "optimizer.learning_rate", other = "train_ds.batch_size";
  launch("a_name_of_some_length", {{{{key, 0.001}, {other, 128}}, {job("train", "true")}},
                                   {{{key, 0.01}, {other, 128}}, {job("train", "true")}}});
  const Outcome run = cli::kd(
      {"status", "1"}, {.env = {{"KD_STATE", state_folder_}, {"NO_COLOR", "1"}}, .terminal = true});
  EXPECT_THAT(run.out, HasSubstr("learning_rate=0.001, batch_size=128"));
  EXPECT_THAT(run.out, HasSubstr("learning_rate=0.01, batch_size=128"));
  EXPECT_THAT(run.out, Not(HasSubstr("FOLDER")));
  EXPECT_THAT(kd({"status", "1"}).out, HasSubstr("FOLDER"));
  // Ends of keys that are not clear are not taken.
  EXPECT_EQ(short_args_text({{"a.lr", 1}, {"b.lr", 2}, {"c.d", 3}}), "a.lr=1, b.lr=2, d=3");
}

TEST_F(KdStatus, Completion) {
  launch_three();
  EXPECT_EQ(kd({"__complete", "status", ""}).out, "1\tmine\n");
  EXPECT_EQ(kd({"__complete", "logs", "1/"}).out, "1/1\tlr=0.1\n1/2\tlr=0.2\n1/3\tlr=0.3\n");
  EXPECT_EQ(kd({"__complete", "logs", "1/3/"}).out, "1/3/eval\n1/3/train\n");
  EXPECT_EQ(kd({"__complete", "logs", "xid:1/3/t"}).out, "xid:1/3/train\n");
  EXPECT_EQ(kd({"__complete", "logs", "1/1/x"}).out, "");
  EXPECT_THAT(kd({"__complete", "plot", "1/2"}).out, HasSubstr("1/2\tlr=0.2\n"));
}

// No command about experiments needs the engine.
TEST_F(KdStatus, WithoutTheEngine) {
  launch_three();
  const std::vector<std::vector<std::string>> commands = {
      {"status"},
      {"status", "1"},
      {"logs", "1/2"},
      {"results", "1"},
      {"stop", "1"},
      {"launch", "--cfg=mnist_autoencoder", "--sweep.seed=[1,2]", "--dry_run"},
      {"launch", "--xp=single", "--xp.target=/bin/true"},
      {"resume", "2"},
      {"rm", "1"}};
  for (auto& args : commands) {
    const Outcome run = cli::kd(args, {.env = {{"KD_STATE", state_folder_}, {"LD_DEBUG", "libs"}}});
    EXPECT_EQ(run.code, kFine) << args[0];
    EXPECT_THAT(run.err, HasSubstr("libkxm"));
    EXPECT_THAT(run.err, Not(HasSubstr("libtorch"))) << args[0];
  }
}

}  // namespace
}  // namespace cli
