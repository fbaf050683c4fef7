// A launcher that is stopped, left by its terminal, or not the only one of its experiment.
#include <algorithm>
#include <filesystem>

#include "cli/launch_test.h"
#include "cli/program.h"
#include "konfig/json.h"
#include "konfig/value.h"

namespace cli {
namespace {

namespace fs = std::filesystem;
using konfig::Dict;
using konfig::List;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

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

// Asked once, this job goes on.
TEST_F(Launch, ControlCTwiceKills) {
  write_script("job.sh",
               "trap 'echo asked >> ran' TERM\necho began > ran\nwhile :; do sleep 0.01; done\n");
  const std::string line = line_of({"launch", "--xp=single", "--xp.target=./job.sh"});
  const Outcome run =
      shell("env --default-signal=INT " + line +
                " & job=$!\n"
                "until grep -q began ran; do kill -0 $job || exit 9; done 2>/dev/null\n"
                "kill -INT $job\nuntil grep -q asked ran; do :; done\n"
                "kill -INT $job\nwait $job\n",
            folder_.path());
  EXPECT_EQ(run.code, 130) << run.err;
  EXPECT_EQ(ran(), "began\nasked\n");
  EXPECT_THAT(kd({"status", "1"}).out, HasSubstr("1 stopped"));
}

// The launcher goes on without a terminal, and so do its jobs.
TEST_F(Launch, AClosedTerminal) {
  write_script("job.sh", "echo $* > began; read word < go; echo $word $* >> ran\n");
  const std::string line =
      line_of({"launch", "--xp=single", "--xp.target=./job.sh", "--sweep.x=[1,2]"});
  const Outcome run = shell("mkfifo began go\nenv --default-signal=HUP " + line +
                                " & job=$!\ncat began >/dev/null; kill -HUP $job; echo one > go\n"
                                "cat began >/dev/null; echo two > go\nwait $job\n",
                            folder_.path());
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_EQ(run.out, "") << "nobody would read it";
  EXPECT_EQ(ran(), "one --x=1\ntwo --x=2\n");
  const Outcome log =
      shell("find " + state_ + " -name launcher.log -exec cat {} +", folder_.path());
  EXPECT_THAT(log.out, HasSubstr("2 finished"));
}

// The job waits for the test, which reads and writes named pipes.
TEST_F(Launch, DetachedItGoesOn) {
  write_script("job.sh", "echo $* > began; read word < go; echo $word $* >> ran\n");
  Outcome run = shell("mkfifo began go\n" +
                          line_of({"launch", "--xp=single", "--xp.target=./job.sh",
                                   "--sweep.x=[1,2]", "--detach"}) +
                          "\necho code $?\n"
                          "cat began\n" +
                          line_of({"resume", "1", "--detach"}) +
                          "\necho beside $?\n"
                          "echo one > go; cat began; echo two > go\n" +
                          line_of({"status", "1", "--watch"}) + "\n",
                      folder_.path());
  EXPECT_THAT(run.out, AllOf(HasSubstr("1 goes on in the background"), HasSubstr("code 0"),
                             HasSubstr("runs it and takes up what failed or was stopped"),
                             HasSubstr("beside 0\n--x=2\n"), HasSubstr("2 finished")));
  EXPECT_EQ(ran(), "one --x=1\ntwo --x=2\n");
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

// Its launcher starts jobs with what it was started with.
TEST_F(Launch, AddsNothingThatItsLauncherCannotRun) {
  write_script("job.sh", "echo $* > began; read word < go; echo $word $* >> ran\n");
  const std::string command = line_of({"launch", "--xp=single", "--xp.target=./job.sh", "--quiet"});
  const std::string add = command + " --xp.xid=1 --xp.secrets='[\"KD_TEST_A\"]'; echo code $?\n";
  const Outcome run = shell(
      "mkfifo began go\nKD_TEST_B=1 " + command + " & job=$!\ncat began\n export KD_TEST_A=a\n" +
          add + "echo one > go\nwait $job\nrm began go; touch began; echo > go\n" + add,
      folder_.path());
  EXPECT_THAT(run.out, AllOf(HasSubstr("code 2\n"), HasSubstr("code 0\n")));
  EXPECT_THAT(run.err, HasSubstr(" runs experiment 1 without the environment variable KD_TEST_A; "
                                 "add the units once it has ended, or end it first: `kd stop 1`"));
  EXPECT_EQ(ran(), "one\n\n");
}

// Several that add to one experiment wait for each other, and the records say what the state says.
TEST_F(Launch, AddersDoNotDisturbEachOther) {
  write_script("job.sh", "echo $* >> ran\n");
  ASSERT_EQ(launch({"--xp=single", "--xp.target=./job.sh", "--sweep.x=[0]"}).code, kFine);
  std::string script;
  for (const char* x : {"1", "2", "3", "4"}) {
    const std::string line = line_of({"launch", "--xp=single", "--xp.target=./job.sh", "--xp.xid=1",
                                      "--sweep.x=[1" + std::string(x) + ",2" + x + "]", "--quiet"});
    script += line + " || [ $? = 1 ] & ";
  }
  const Outcome run = shell(script + "wait\n", folder_.path());
  EXPECT_THAT(run.err, Not(HasSubstr("UNIQUE")));
  resume("1");  // what a launcher that just ended did not take up
  const auto swept = [&] {
    std::vector<std::string> out;
    const Dict all = konfig::parse_json(kd({"status", "1", "--format=json"}).out).as<Dict>();
    for (auto& unit : all.at("units").as<List>()) {
      out.push_back(konfig::to_json(unit.as<Dict>().at("args")));
    }
    return out;
  };
  const auto before = swept();
  EXPECT_EQ(before.size(), 9u);
  const std::string lines = ran();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 9) << lines;
  for (const char* name : {"state.db", "state.db-wal", "state.db-shm"})
    fs::remove(state_ + "/" + name);
  EXPECT_EQ(swept(), before);
}

}  // namespace
}  // namespace cli
