// kd launch and kd resume, with real programs: what they show, keep and leave behind.
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

TEST_F(Launch, FurtherUnitsOfAnExperiment) {
  write_script("job.sh", "echo $* >> ran\n");
  EXPECT_EQ(sweep().code, kFine);
  const Outcome run =
      launch({"--xp=single", "--xp.target=./job.sh", "--xp.xid=1", "--sweep.x=[4]"});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.err, HasSubstr("1/4/main started"));
  EXPECT_EQ(ran(), "--x=1\n--x=2\n--x=3\n--x=4\n");
}

// Limits count for the whole experiment, and stay until others are given.
TEST_F(Launch, LimitsOfFurtherUnits) {
  write_script("job.sh", "echo $* >> ran; [ $1 = --x=1 ]\n");
  const auto add = [&](const std::vector<std::string>& more) {
    std::vector<std::string> args = {"--xp=single", "--xp.target=./job.sh"};
    args.insert(args.end(), more.begin(), more.end());
    EXPECT_NE(launch(args).code, kUsage);
  };
  add({"--sweep.x=[1]"});
  add({"--xp.xid=1", "--sweep.x=[2]", "--xp.retries=1"});
  EXPECT_EQ(ran(), "--x=1\n--x=2\n--x=2\n");
  add({"--xp.xid=1", "--sweep.x=[3,4]", "--xp.fail_fast"});
  EXPECT_EQ(ran(), "--x=1\n--x=2\n--x=2\n--x=3\n--x=3\n");
  EXPECT_THAT(kd({"status", "1"}).out, HasSubstr("1 finished, 2 failed, 1 stopped"));
}

// They run where the others do.
TEST_F(Launch, FurtherUnitsOnAnotherExecutor) {
  write_script("job.sh", "true\n");
  EXPECT_EQ(sweep().code, kFine);
  write_script("sinfo", "true\n");
  const Outcome run =
      kd({"launch", "--xp=single", "--xp.target=./job.sh", "--xp.xid=1", "--on=slurm", "--dry_run"},
         {.env = {{"PATH", folder_.path() + ":/usr/bin:/bin"}}, .folder = folder_.path()});
  EXPECT_EQ(run.code, kUsage);
  EXPECT_EQ(run.first_error_line(),
            "kd: error: experiment 1 runs on 'local', and its new units cannot run on 'slurm'; "
            "launch a new experiment there");
}

// What is typed beats what the experiment brings.
TEST_F(Launch, HereInPlaceOfAnExecutorOfItsOwn) {
  const Outcome run = launch(
      {"--xp=single", "--xp.target=/bin/true", "--xp.executor=py::kxm.Slurm()", "--on=local"});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.err, HasSubstr("1/1/main started"));
}

// By their interpreter, where they are not programs themselves.
TEST_F(Launch, Scripts) {
  write_text(folder_ / "job.py", "print('from python')\n");
  const Outcome run = launch({"--xp.retries=0", "--xp=single", "--xp.target=./job.py"});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.err, HasSubstr("1/1/main | from python"));
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

TEST_F(Launch, AValueGivenForAllBeatsTheSweep) {
  write_script("job.sh", "echo $* >> ran\n");
  write_text(folder_ / "xp.yaml",
             "__qualname__: kxm.Experiment\njobs:\n  main:\n    __qualname__: kxm.Job\n"
             "    target: ./job.sh\n    args: {x: 9}\n");
  const Outcome run = launch({"--xp=xp.yaml", "--sweep.x=[1,2,3]"});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.err, HasSubstr("warning: --x is given for all units and swept, too"));
  EXPECT_EQ(ran(), "--x=9\n--x=9\n--x=9\n");
  EXPECT_THAT(kd({"status", "1"}).out, AllOf(HasSubstr("x=9"), Not(HasSubstr("x=1"))));
}

TEST_F(Launch, AValueTypedForAllAndSweptIsRefused) {
  write_script("job.sh", "echo $* >> ran\n");
  const Outcome run = sweep({"--xp.args.x=9"});
  EXPECT_EQ(run.code, kUsage);
  EXPECT_EQ(
      run.first_error_line(),
      "kd: error: --xp.args.x and --sweep.x: one value for all units, and one for each; leave "
      "out one of these flags");
  const Outcome config = launch({"--cfg=mnist_autoencoder", "--cfg.seed=9", "--sweep.seed=[1,2]"});
  EXPECT_EQ(config.code, kUsage);
  EXPECT_THAT(config.err, HasSubstr("--cfg.seed and --sweep.seed: "));
  EXPECT_FALSE(fs::exists(folder_ / "ran"));
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
