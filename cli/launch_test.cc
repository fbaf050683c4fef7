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
  run = kd({"resume", "1", "--detach"}, {.folder = folder_.path()});
  EXPECT_THAT(run.out, AllOf(HasSubstr("3 finished"), Not(HasSubstr("background"))));
  EXPECT_EQ(ran(), "--x=1\n--x=2\n--x=3\n--x=2\n");
}

TEST_F(Launch, TagsAndNoteOfTheSetup) {
  auto planned = [&](const std::string& note) {
    return launch({"--cfg=mnist_autoencoder",
                   "--cfg.setup=py::kd.train.Setup(tags='a,b', "
                   "note_template='" +
                       note + "')",
                   "--xp.tags=c", "--dry_run", "--format=json"});
  };
  const Outcome run = planned("seed {seed}, lr {cfg.optimizer.learning_rate}");
  ASSERT_EQ(run.code, kFine) << run.err;
  const Dict plan = konfig::parse_json(run.out).as<Dict>().at("experiment").as<Dict>();
  EXPECT_EQ(plan.at("notes"), konfig::Value("seed 42, lr 0.003"));
  const List tags = plan.at("tags").as<List>();
  EXPECT_THAT(std::vector<konfig::Value>(tags.begin(), tags.begin() + 3),
              ElementsAre("c", "a", "b"));
  const Outcome wrong = planned("{sed}");
  EXPECT_EQ(wrong.code, kUsage);
  EXPECT_THAT(wrong.err, HasSubstr("cfg.setup.note_template: "));
}

TEST_F(Launch, ADryRunWritesNothing) {
  write_script("job.sh", "echo >> ran\n");
  Outcome run = sweep({"--dry_run"});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("3 units, would be experiment 1 on this machine\n"),
                             HasSubstr("1/2  x=2"), HasSubstr("job.sh --x=2")));
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

TEST_F(Launch, ManyUnitsAreConfirmed) {
  write_script("job.sh", "echo $* >> ran\n");
  std::string many = "[0";
  for (int i = 1; i <= 100; ++i) many += "," + std::to_string(i);
  many += "]";
  Outcome run = launch({"--xp=single", "--xp.target=./job.sh", "--sweep.x=" + many});
  EXPECT_EQ(run.code, kUsage);
  EXPECT_EQ(run.first_error_line(),
            "kd: error: launch 101 units of job.sh? There is no terminal to ask: add --yes");
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
      {{"--xp=single", "--xp.target=./job.sh", "--on=moon"},
       "--on: expected local or slurm, got 'moon'"},
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
      {{"--cfg=mnist_autoencoder", "--cfg.workdir="}, "cfg.workdir: expected a folder, got \"\""},
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

// What a dry run prints is what is launched, kept copies included.
TEST_F(Launch, ADryRunPrintsWhatTheLaunchRuns) {
  write_script("job.sh", "true\n");
  const Outcome dry = sweep({"--dry_run", "--format=json"});
  ASSERT_EQ(dry.code, kFine) << dry.err;
  ASSERT_EQ(sweep().code, kFine);
  const Dict planned = konfig::parse_json(dry.out).as<Dict>().at("experiment").as<Dict>();
  for (int wid : {1, 2, 3}) {
    const Dict unit = planned.at("units").as<List>()[static_cast<std::size_t>(wid - 1)].as<Dict>();
    const Outcome run = kd({"status", "1/" + std::to_string(wid) + "/main", "--format=json"});
    EXPECT_EQ(unit.at("jobs").as<Dict>().at("main").as<Dict>().at("argv"),
              konfig::parse_json(run.out).as<Dict>().at("argv"));
  }
}

TEST_F(Launch, SummariesAsJson) {
  write_script("job.sh", "[ $1 != --x=2 ] || [ -e fixed ]\n");
  Outcome run = sweep({"--format=json"});
  EXPECT_EQ(run.code, kFailure);
  const Dict all = konfig::parse_json(run.out).as<Dict>();
  EXPECT_EQ(all.at("counts").as<Dict>().at("failed"), konfig::Value(1));
  EXPECT_EQ(all.at("units").as<List>().size(), 3u);
  write_text(folder_ / "fixed", "");
  run = kd({"resume", "1", "--format=json"}, {.folder = folder_.path()});
  EXPECT_EQ(run.code, kFine);
  EXPECT_EQ(konfig::parse_json(run.out).as<Dict>().at("counts").as<Dict>().at("finished"),
            konfig::Value(3));
}

// Of one unit, what is said is about that unit.
TEST_F(Launch, TheSummaryOfAUnit) {
  write_script("job.sh", "[ $1 = --x=1 ] || [ -e fixed$1 ] || { echo no $1; exit 3; }\n");
  EXPECT_EQ(sweep().code, kFailure);
  Outcome run = resume("1/3");
  EXPECT_EQ(run.code, kFailure);
  EXPECT_EQ(run.out,
            "1/3 job.sh: 1 failed\n\n1/3/main failed: exit code 3  (x=3)\n  | no --x=3\n\n"
            "kd logs 1/3 shows a log whole; kd resume 1/3 runs again what failed\n");
  write_text(folder_ / "fixed--x=3", "");
  run = resume("1/3");
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_EQ(run.out, "1/3 job.sh: 1 finished\n");
  run = kd({"resume", "1/2", "--format=json"}, {.folder = folder_.path()});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_EQ(run.out, kd({"status", "1/2", "--format=json"}).out);
}

TEST_F(Launch, ARefusedResumeChangesNothing) {
  write_script("job.sh", "exit 1\n");
  const std::vector<std::string> args = {"launch", "--xp=single", "--xp.target=./job.sh",
                                         "--xp.secrets=[\"KD_TEST_KEY\"]"};
  EXPECT_EQ(kd(args, {.env = {{"KD_TEST_KEY", "1"}}, .folder = folder_.path()}).code, kFailure);
  const std::string before = kd({"status", "1", "--format=json"}).out;
  for (const char* more : {"--quiet", "--detach"}) {
    const Outcome run = kd({"resume", "1", more}, {.folder = folder_.path()});
    EXPECT_EQ(run.code, kUsage);
    EXPECT_EQ(run.first_error_line(),
              "kd: error: xp.secrets: the environment variable KD_TEST_KEY is not set; export it "
              "first");
  }
  EXPECT_EQ(kd({"status", "1", "--format=json"}).out, before);
}

// There is no log to look at.
TEST_F(Launch, AProgramThatCannotBeStarted) {
  write_text(folder_ / "job.sh", "no program");
  fs::permissions(folder_ / "job.sh", fs::perms::owner_all);
  const Outcome run = launch({"--xp=single", "--xp.target=./job.sh"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.out, AllOf(HasSubstr("could not be started: Exec format error"),
                             HasSubstr("\nkd resume 1 runs again"), Not(HasSubstr("kd logs"))));
  const Outcome logs = kd({"logs", "1/1"});
  EXPECT_EQ(logs.code, kFine);
  EXPECT_THAT(logs.err, HasSubstr("could not be started: Exec format error"));
  EXPECT_THAT(kd({"status", "1/1"}).out, AllOf(HasSubstr("tried 20"), Not(HasSubstr("log.txt"))));
}

TEST_F(Launch, CalledAfterTheProgram) {
  const auto title = [&](std::vector<std::string> args) {
    args.emplace_back("--dry_run");
    const std::string out = launch(args).out;
    return out.substr(0, out.find(':'));
  };
  EXPECT_EQ(title({"--xp=single", "--xp.target=/bin/true"}), "true");
  EXPECT_EQ(title({"--xp=single", "--xp.jobs.main.target=/bin/true"}), "true");
  EXPECT_EQ(title({"--xp=single", "--xp.target=/bin/true", "--xp.name=mine"}), "mine");
}

TEST_F(Launch, SweptTextsAndListsHaveNoQuotes) {
  const Outcome run = launch({"--xp=single", "--xp.target=/bin/true", "--dry_run",
                              "--sweep.opt=[adam]", "--sweep.sizes=[[1,2]]", "--sweep.e=[\"\"]"});
  EXPECT_THAT(run.out, HasSubstr("1/1  opt=adam, sizes=[1, 2], e=''\n"));
}

TEST_F(Launch, AValueGivenForAllBeatsTheSweep) {
  write_script("job.sh", "echo $* >> ran\n");
  const Outcome run = sweep({"--xp.args.x=9"});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.err, HasSubstr("warning: --x is given for all units and swept, too"));
  EXPECT_EQ(ran(), "--x=9\n--x=9\n--x=9\n");
  EXPECT_THAT(kd({"status", "1"}).out, AllOf(HasSubstr("x=9"), Not(HasSubstr("x=1"))));
}

// What others wrote cannot move the cursor, in the table or in the summary.
TEST_F(Launch, TitlesAndLinesOnATerminal) {
  write_script("job.sh", "printf 'a\\033[2Jb\\033[31mred\\n'; exit 3\n");
  const Outcome run = kd({"launch", "--xp=single", "--xp.target=./job.sh",
                          "--xp.name=my\x1b[5Atitle\nx", "--sweep.x=[\"a\\nb\"]"},
                         {.env = {{"TERM", "xterm"}}, .folder = folder_.path(), .terminal = true});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.out, AllOf(HasSubstr("1 my\\x1b[5Atitle\\nx"), HasSubstr("ab\x1b[31mred\x1b[0m"),
                             Not(HasSubstr("\x1b[2J")), Not(HasSubstr("\x1b[5A"))));
}

// A stand-in for TensorBoard, with what it was called with in the file `called`.
TEST_F(Launch, TensorBoardNeverDecides) {
  fs::create_directory(folder_ / "bin");
  const std::string tensorboard = folder_ / "bin/tensorboard";
  const auto stand_in = [&](const std::string& body) {
    fs::remove(folder_ / "called");
    write_text(tensorboard, "#!/bin/sh\necho $$ $* > " + (folder_ / "called") + "\n" + body);
    fs::permissions(tensorboard, fs::perms::owner_all);
  };
  write_script("job.sh", "until [ -s called ]; do :; done; test -d ${1#--workdir=}\n");
  write_text(folder_ / "xp.json",
             R"({"__qualname__": "kauldron.kxm:Experiment", "root_dir": "runs", "tensorboard": true,
                 "jobs": {"main": {"__qualname__": "kauldron.kxm:Job", "target": "./job.sh",
                 "args": {"workdir": {"__const__": "kauldron.kxm:WU_DIR_PROXY"}}}}})");
  const auto launched = [&] {
    const std::string path = folder_ / "bin:" + std::string(std::getenv("PATH"));
    return kd({"launch", "--xp=xp.json"}, {.env = {{"PATH", path}}, .folder = folder_.path()});
  };
  // Until the experiment ends, also if it ignores the request.
  for (const char* body :
       {"exec tail -f /dev/null", "trap '' TERM; while :; do sleep 0.05; done"}) {
    stand_in(body);
    const Outcome run = launched();
    EXPECT_EQ(run.code, kFine) << run.err;
    EXPECT_THAT(run.err, HasSubstr("TensorBoard: http://localhost:"));
    const std::string called = read_text(folder_ / "called");
    EXPECT_THAT(called, HasSubstr(" --logdir " + folder_ / "runs/"));
    EXPECT_FALSE(fs::exists("/proc/" + called.substr(0, called.find(' '))));
  }
  // It fails, or is not there.
  stand_in("echo broken; exit 1");
  write_script("job.sh",
               "until grep -q broken runs/3/.kxm/tensorboard.log; do :; done; sleep 0.5\n");
  Outcome run = launched();
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.err, HasSubstr("TensorBoard has ended by itself, the experiment goes on"));
  write_text(tensorboard, "#!/no/such/interpreter\n");
  write_script("job.sh", "true\n");
  run = launched();
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.err, HasSubstr("TensorBoard cannot be started (No such file or directory)"));
}

TEST_F(Launch, AMovedFolderGoesOn) {
  write_script("job.sh", "test -e fixed\n");
  write_text(folder_ / "xp.json",
             R"({"__qualname__": "kauldron.kxm:Experiment", "root_dir": "runs",
                 "jobs": {"main": {"__qualname__": "kauldron.kxm:Job", "target": "./job.sh",
                 "args": {"workdir": {"__const__": "kauldron.kxm:WU_DIR_PROXY"}}}}})");
  EXPECT_EQ(launch({"--xp=xp.json"}).code, kFailure);
  fs::rename(folder_ / "runs/1", folder_ / "kept");
  write_text(folder_ / "fixed", "");
  const std::string hint = "if its folder was moved: `kd state rebuild FOLDER`";
  Outcome run = resume("1");
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.first_error_line(), HasSubstr(hint));
  EXPECT_THAT(kd({"status", "1"}).out, HasSubstr(hint));
  EXPECT_THAT(kd({"logs", "1"}).err, HasSubstr(hint));
  EXPECT_THAT(kd({"state", "rebuild"}).out, HasSubstr("1 is not in "));
  run = resume("kept");
  EXPECT_EQ(run.code, kUsage);
  EXPECT_EQ(run.first_error_line(),
            "kd: error: kept is the folder of experiment 1: first `kd state rebuild kept`, then "
            "`kd resume xid:1`");
  EXPECT_EQ(kd({"state", "rebuild", "kept"}, {.folder = folder_.path()}).code, kFine);
  run = resume("1");
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.out, HasSubstr("results: " + folder_ / "kept"));
  EXPECT_EQ(resume("kept").first_error_line(),
            "kd: error: kept is the folder of experiment 1: `kd resume xid:1`");
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

// Where the results cannot be written nothing is left of the launch.
TEST_F(Launch, ALaunchThatCannotBeRecordedIsNotListed) {
  write_script("job.sh", "true\n");
  fs::create_directories(folder_ / "runs/all/.kxm");
  write_text(folder_ / "runs/all/.kxm/store", "a file in the place of the folder");
  write_text(folder_ / "xp.json",
             R"({"__qualname__": "kauldron.kxm:Experiment", "root_dir": "runs",
                 "jobs": {"main": {"__qualname__": "kauldron.kxm:Job", "target": "./job.sh",
                 "args": {"workdir": {"__const__": "kauldron.kxm:WU_DIR_PROXY"}}}}})");
  const Outcome run = launch({"--xp=xp.json", "--xp.subdir_format.xp_dirname=all"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.err, HasSubstr("runs/all/.kxm/store"));
  EXPECT_EQ(kd({"status"}).out, "nothing was launched yet; `kd launch --help` says how\n");
}

TEST_F(Launch, HelpListsTheFieldsOfTheExperiment) {
  const Outcome run = launch({"--help"});
  EXPECT_EQ(run.code, kFine);
  EXPECT_THAT(run.out,
              AllOf(HasSubstr("--xp.max_parallel"), HasSubstr("units at a time"),
                    HasSubstr("--xp.platform"), HasSubstr("--sweep.seed=[1,2,3]"),
                    HasSubstr("\n  --xp=SOURCE "), HasSubstr("\n  --sweep.PATH=[1,2,3] ")));
}

}  // namespace
}  // namespace cli
