// kd launch and kd resume, with real programs: what they show, keep and leave behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/program.h"
#include "cli/spawn_test.h"
#include "konfig/json.h"
#include "konfig/value.h"

namespace cli {
namespace {

namespace fs = std::filesystem;
using konfig::Dict;
using konfig::List;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// A folder to launch from, with a state of its own.
class Launch : public testing::Test {
 protected:
  Launch() { ::setenv("KD_STATE", state_.c_str(), 1); }
  ~Launch() override { ::unsetenv("KD_STATE"); }

  // A program for jobs.
  void write_script(const std::string& name, const std::string& body) const {
    write_text(folder_ / name, "#!/bin/sh\n" + body);
    fs::permissions(folder_ / name, fs::perms::owner_all);
  }
  Outcome launch(std::vector<std::string> more) const {
    more.insert(more.begin(), "launch");
    return kd(more, {.folder = folder_.path()});
  }
  // One unit for each of 1, 2, 3 of ./job.sh.
  Outcome sweep(std::vector<std::string> more = {}) const {
    std::vector<std::string> args = {"--xp=single", "--xp.target=./job.sh", "--sweep.x=[1,2,3]"};
    args.insert(args.end(), more.begin(), more.end());
    return launch(args);
  }
  Outcome resume(const std::string& what) const {
    return kd({"resume", what}, {.folder = folder_.path()});
  }
  std::string ran() const { return read_text(folder_ / "ran"); }

  TempFolder folder_;
  std::string state_ = folder_ / "state";
};

TEST_F(Launch, ASweepAndItsFailures) {
  write_script("job.sh",
               "echo $* >> ran; echo hello $*\n"
               "[ $1 != --x=2 ] || [ -e fixed ] || { echo oops; exit 3; }\n");
  Outcome run = sweep();
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.out,
              AllOf(HasSubstr("2 finished, 1 failed"), HasSubstr("1/2/main failed: exit code 3"),
                    HasSubstr("(x=2)"), HasSubstr("  | oops"), HasSubstr("kd resume 1")));
  EXPECT_THAT(run.err, AllOf(HasSubstr("1/1/main started"), HasSubstr("1/3/main | hello --x=3"),
                             HasSubstr("1/2/main exit code 3")));
  EXPECT_EQ(ran(), "--x=1\n--x=2\n--x=3\n");
  // Just what failed, with the script as it was.
  write_script("job.sh", "echo changed >> ran\n");
  write_text(folder_ / "fixed", "");
  run = resume("1");
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.out, HasSubstr("3 finished"));
  EXPECT_EQ(ran(), "--x=1\n--x=2\n--x=3\n--x=2\n");
  // Nothing is left to do.
  run = resume("xid:1");
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_EQ(ran(), "--x=1\n--x=2\n--x=3\n--x=2\n");
}

TEST_F(Launch, ADryRunWritesNothing) {
  write_script("job.sh", "echo >> ran\n");
  Outcome run = sweep({"--dry_run"});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("3 units, would be 1"), HasSubstr("1/2  x=2"),
                             HasSubstr("job.sh --x=2")));
  run = sweep({"--dry_run", "--format=json"});
  const Dict all = konfig::parse_json(run.out).as<Dict>();
  const Dict unit = all.at("experiment").as<Dict>().at("units").as<List>()[1].as<Dict>();
  EXPECT_EQ(unit.at("id"), konfig::Value(2));
  EXPECT_EQ(unit.at("identity"), konfig::Value("sweep_1"));
  EXPECT_EQ(unit.at("ui_args").as<Dict>().at("x"), konfig::Value(2));
  const Dict job = unit.at("jobs").as<Dict>().at("main").as<Dict>();
  EXPECT_THAT(konfig::to_json(job.at("argv")), HasSubstr("--x=2"));
  EXPECT_TRUE(job.find("env"));
  EXPECT_TRUE(all.at("jobs").as<Dict>().find("main"));
  EXPECT_THAT(folder_.names(), ElementsAre("job.sh"));
}

TEST_F(Launch, FurtherUnitsOfAnExperiment) {
  write_script("job.sh", "echo $* >> ran\n");
  EXPECT_EQ(sweep().code, kFine);
  const Outcome run =
      launch({"--xp=single", "--xp.target=./job.sh", "--xp.xid=1", "--sweep.x=[4]"});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.err, HasSubstr("1/4/main started"));
  EXPECT_EQ(ran(), "--x=1\n--x=2\n--x=3\n--x=4\n");
}

TEST_F(Launch, ControlCLetsJobsSaveAndResumeGoesOn) {
  write_script("job.sh",
               "trap 'echo saved >> ran; exit 1' TERM\n"
               "[ ! -e ran ] || { echo again $* >> ran; exit 0; }\n"
               "echo began > ran\nwhile :; do sleep 0.01; done\n");
  const std::string line =
      line_of({"launch", "--xp=single", "--xp.target=./job.sh", "--sweep.x=[1,2]"});
  const Outcome run = shell("env --default-signal=INT " + line +
                                " & job=$!\nwhile [ ! -s ran ]; do kill -0 $job || exit 9; done\n"
                                "kill -INT $job\nwait $job\n",
                            folder_.path());
  EXPECT_EQ(run.code, 130) << run.err;
  EXPECT_THAT(run.err, HasSubstr("stopping: jobs save and end; Ctrl-C once more kills them"));
  EXPECT_THAT(run.out, HasSubstr("kd resume 1"));
  EXPECT_EQ(ran(), "began\nsaved\n");
  const Outcome more = resume("1");
  EXPECT_EQ(more.code, kFine) << more.err;
  EXPECT_EQ(ran(), "began\nsaved\nagain --x=1\nagain --x=2\n");
}

// The job waits for the test, which reads and writes named pipes.
TEST_F(Launch, DetachedItGoesOn) {
  write_script("job.sh", "echo $* > began; read word < go; echo $word $* >> ran\n");
  Outcome run = shell("mkfifo began go\n" +
                          line_of({"launch", "--xp=single", "--xp.target=./job.sh",
                                   "--sweep.x=[1,2]", "--detach"}) +
                          "\necho code $?\n"
                          "cat began; echo one > go; cat began; echo two > go\n" +
                          line_of({"resume", "1"}) + "; " +
                          // Another launcher may still hold it for a moment.
                          "until " + line_of({"resume", "1"}) + " 2>/dev/null; do :; done\n",
                      folder_.path());
  EXPECT_THAT(run.out, AllOf(HasSubstr("1 goes on in the background"), HasSubstr("code 0"),
                             HasSubstr("--x=1\n--x=2\n"), HasSubstr("2 finished")));
  EXPECT_EQ(ran(), "one --x=1\ntwo --x=2\n");
}

TEST_F(Launch, ManyUnitsAreConfirmed) {
  write_script("job.sh", "echo $* >> ran\n");
  std::string many = "[0";
  for (int i = 1; i <= 100; ++i) many += "," + std::to_string(i);
  many += "]";
  Outcome run = launch({"--xp=single", "--xp.target=./job.sh", "--sweep.x=" + many});
  EXPECT_EQ(run.code, kUsage);
  EXPECT_EQ(run.first_error_line(),
            "kd: error: launch 101 units of Kauldron? There is no terminal to ask: add --yes");
  EXPECT_THAT(folder_.names(), Not(::testing::Contains("ran")));
}

TEST_F(Launch, WhatIsWrongIsSaidBeforeAnythingStarts) {
  write_script("job.sh", "echo $* >> ran\n");
  write_text(folder_ / "no_program", "");
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "what is to be launched? A config: --cfg=..., or an experiment: --xp=..."},
      {{"--xp=single"}, "job 'main': no target"},
      {{"--xp=singel"}, "did you mean 'single'"},
      {{"--xp=single", "--xp.target=./nothing"}, "there is no "},
      {{"--xp=single", "--xp.target=./no_program"}, "chmod +x"},
      {{"--xp=single", "--xp.target=./job.sh", "--on=moon"}, "--on=moon: expected local or slurm"},
      {{"--xp=single", "--xp.target=./job.sh", "--xp.xid=7"}, "there is no experiment 7"},
      {{"--xp=single", "--xp.target=./job.sh", "--xp.retrise=1"}, "did you mean 'retries'"},
      {{"--xp=single", "--xp.target=./job.sh", "--xp.retries=x"}, ": xp.retries: expected a whole"},
      {{"--xp=single", "--xp.target=./job.sh", "--xp.platform=tpu"}, "no TPUs here"},
      {{"--xp=single", "--xp.target=./job.sh", "--zip", "--sweep.x=[1]"}, "there is only one"},
      {{"--xp=single", "--xp.target=./job.sh", "--sweep.x=1"}, "write --sweep.x=[1,2,3]"},
      {{"--xp=single", "--xp.target=./job.sh", "--xp.requirements.cpu=100000"}, "100000"},
      {{"--xp=single", "--xp.target=./job.sh", "--xp.secrets=[\"KD_NO_SUCH\"]"},
       "KD_NO_SUCH is not set"},
      {{"--cfg=mnist_autoencoder", "--cfg.workdir=a", "--sweep.seed=[1,2]"},
       "2 units would share this folder; use --xp.root_dir="},
      {{"--cfg=mnist_autoencoder", "--cfg.workdir="}, "cfg.workdir: expected a folder, got ''"},
      {{"--cfg=mnist_autoencoder", "--sweep.workdir=[a,a]"}, "is the folder of another unit"},
      {{"--cfg=mnist_autoencoder", "--sweep.sed=[1]"}, "did you mean 'seed'"},
      {{"--cfg=mnist_autoencoder", "--cfg.sed=1"}, "did you mean 'seed'"},
      {{"--cfg=mnist_autoencoder", "--cfg.model.inputs=x", "--sweep.model=[1]"}, "model"},
  };
  for (auto& [args, text] : cases) {
    const Outcome run = launch(args);
    EXPECT_EQ(run.code, kUsage) << text;
    EXPECT_THAT(run.err, AllOf(HasSubstr("kd: error: "), HasSubstr(text)));
  }
  EXPECT_THAT(folder_.names(), Not(::testing::Contains("ran")));
  const Outcome run = resume("7");
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.first_error_line(),
              ::testing::StartsWith("kd: error: there is no experiment 7: "));
}

// By their interpreter, where they are not programs themselves.
TEST_F(Launch, Scripts) {
  write_text(folder_ / "job.py", "print('from python')\n");
  const Outcome run = launch({"--xp.retries=0", "--xp=single", "--xp.target=./job.py"});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.err, HasSubstr("1/1/main | from python"));
}

// Another launcher takes up what is added to its experiment.
TEST_F(Launch, AddsToWhatRuns) {
  write_script("job.sh", "echo $* > began; read word < go; echo $word $* >> ran\n");
  const auto command = [&](const std::string& flag) {
    return line_of({"launch", "--xp=single", "--xp.target=./job.sh", flag, "--quiet"});
  };
  const Outcome run = shell("mkfifo began go\n" + command("--sweep.x=[1]") +
                                " & job=$!\ncat began\n" + command("--sweep.x=[2]") +
                                " --xp.xid=1; echo code $?\n"
                                "echo one > go; cat began; echo two > go\nwait $job\n",
                            folder_.path());
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("takes up the new units"), HasSubstr("code 0"),
                             HasSubstr("2 finished")));
  EXPECT_EQ(ran(), "one --x=1\ntwo --x=2\n");
}

TEST_F(Launch, HelpListsTheFieldsOfTheExperiment) {
  const Outcome run = launch({"--help"});
  EXPECT_EQ(run.code, kFine);
  EXPECT_THAT(run.out, AllOf(HasSubstr("--xp.max_parallel"), HasSubstr("units at a time"),
                             HasSubstr("--xp.platform"), HasSubstr("--sweep.seed=[1,2,3]")));
}

}  // namespace
}  // namespace cli
