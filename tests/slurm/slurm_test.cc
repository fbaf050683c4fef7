// Experiments on a real Slurm. It is started for each test; without one the tests fail.
#include "kxm/slurm.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "cli/small_run_test.h"
#include "kxm/fixture_test.h"
#include "test_paths.h"

namespace kxm {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

bool full() { return std::getenv("KD_TEST_FULL") != nullptr; }

std::string driver() { return std::string(KD_BINARY_DIR) + "/tests/slurm_driver"; }

// A shell's exit code and what it printed.
std::pair<int, std::string> sh(const std::string& command) {
  FILE* pipe = ::popen(command.c_str(), "r");
  std::string out;
  for (int c; (c = std::fgetc(pipe)) != EOF;) out += static_cast<char>(c);
  const int status = ::pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, out};
}

class Cluster {
 public:
  explicit Cluster(const fs::path& folder) : folder_(folder.string()) {
    ::setenv("SLURM_CONF", (folder_ + "/slurm.conf").c_str(), 1);
    control("start");
  }
  ~Cluster() {
    control("stop");
    ::unsetenv("SLURM_CONF");
  }
  void down(const std::string& daemon) const { control("down", daemon); }
  void up(const std::string& daemon) const { control("up", daemon); }

 private:
  void control(const std::string& command, const std::string& what = "3") const {
    const auto [code, out] = sh(std::string(KD_SOURCE_DIR) + "/tests/slurm/cluster " + command +
                                " " + folder_ + " " + what);
    EXPECT_EQ(code, 0) << out;
  }
  std::string folder_;
};

class OnSlurm : public RunTest {
 protected:
  int record(std::vector<std::vector<PlannedJob>> units,
             const std::function<void(Plan&)>& change = {}) {
    Plan made = plan(state.reserve(), std::move(units));
    if (change) change(made);
    state.record(made, "slurm");
    return made.xid;
  }
  RunResult run(int xid, const RunOptions& options = {}) {
    return kxm::run(state, xid, slurm, options);
  }

  void touch(const char* name) const { base::File(folder / name, O_WRONLY | O_CREAT).sync(); }

  // A launcher in a process of its own.
  pid_t launch(int xid, const std::vector<std::string>& options = {}) const {
    const pid_t pid = ::fork();
    if (pid == 0) {
      std::vector<std::string> args = {driver(), state_path.string(), std::to_string(xid)};
      args.insert(args.end(), options.begin(), options.end());
      std::vector<char*> pointers;
      for (auto& arg : args) pointers.push_back(arg.data());
      pointers.push_back(nullptr);
      ::setpgid(0, 0);
      ::execv(pointers[0], pointers.data());
      ::_exit(127);
    }
    return pid;
  }
  static int wait(pid_t pid) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  // Until the condition holds; a failure after a minute.
  template <class Condition>
  static void until(const Condition& condition, int longest = 60) {
    const auto end = std::chrono::steady_clock::now() + seconds(longest);
    while (!condition()) {
      ASSERT_LT(std::chrono::steady_clock::now(), end) << sh("squeue -a; sinfo -N -l").second;
      std::this_thread::sleep_for(milliseconds(50));
    }
  }
  std::string text(const fs::path& file) const {
    return base::try_read_file(folder / file).value_or("");
  }
  int lines(const fs::path& file) const {
    const std::string all = text(file);
    return static_cast<int>(std::count(all.begin(), all.end(), '\n'));
  }
  // How often each line is in a file.
  std::map<std::string, int> tally(const fs::path& file) const {
    std::map<std::string, int> out;
    std::istringstream in(text(file));
    for (std::string line; std::getline(in, line);) ++out[line];
    return out;
  }

  Cluster cluster = Cluster(folder / "cluster");
  Slurm slurm = {.poll_seconds = 1, .record_seconds = 2, .runner = {driver(), "__job"}};
};

TEST_F(OnSlurm, RunsWhatTheLocalExecutorRuns) {
  const std::vector<std::string> odd = {"",  " ",           "a b", "'",       "\"", "$HOME `x` \\",
                                        "%", "new\nline\t", "🍲",   "\xff\xfe"};
  PlannedJob job = {.name = "main", .argv = {"/usr/bin/printf", "%s\\0"}};
  job.argv.insert(job.argv.end(), odd.begin(), odd.end());
  PlannedJob env = shell("printf '%s|' \"$ODD\" \"$KXM_XID\" \"$KXM_WID\" \"$KXM_JOB\"; pwd");
  env.env["ODD"] = "a\n'b\" \xff";
  PlannedJob missing = {.name = "main", .argv = {"no-such-program"}};
  PlannedJob train = shell("true", "train");
  train.role = Role::train;
  PlannedJob complete = shell("touch $0/train_complete.txt", "train");
  complete.role = Role::train;
  complete.argv.push_back((folder / "runs/1/6").string());
  const int xid = record(
      {{job}, {env}, {shell("exit 3")}, {missing}, {train}, {complete}, {shell("kill -SEGV $$")}});
  EXPECT_EQ(run(xid).units, counts(3, 4));
  std::string expected;
  for (auto& text : odd) expected += text + '\0';
  EXPECT_EQ(log(xid, 1), expected);
  EXPECT_EQ(log(xid, 2), "a\n'b\" \xff|1|2|main|" + folder.path().string() + "\n");
  EXPECT_EQ(why(xid, 3), "exit code 3");
  EXPECT_EQ(why(xid, 4), "could not be started: No such file or directory");
  EXPECT_EQ(why(xid, 5), "exit code 0, but train_complete.txt is missing");
  EXPECT_EQ(why(xid, 7), "killed by SIGSEGV");
  const Ended ended = *state.unit(xid, 2).jobs.front().attempts.front().ended;
  EXPECT_THAT(ended.host, testing::MatchesRegex("n[123]"));
  EXPECT_GT(ended.started, 1e9);
  EXPECT_GT(ended.peak_memory, 0);
}

TEST_F(OnSlurm, ArraysStayBelowTheirLimitAndTheCap) {
  std::vector<std::vector<PlannedJob>> units;
  // Each says how many are running while it runs.
  for (int i = 0; i < 25; ++i) {
    units.push_back({shell(
        "mkdir -p now; touch now/$KXM_WID; ls now | wc -l >>seen; sleep 0.5; rm now/$KXM_WID")});
  }
  slurm.max_parallel = 4;
  const int xid = record(units);
  EXPECT_EQ(run(xid).units, counts(25));
  EXPECT_EQ(lines("seen"), 25);
  for (auto& [count, times] : tally("seen")) EXPECT_LE(std::stoi(count), 4);
  // MaxArraySize is 11: no index is above 10.
  EXPECT_EQ(sh("squeue -h -a -r -t all -o '%F' | sort -u | wc -l").second, "3\n");
}

// 20 % fail in the first round. The launcher is killed at random moments, also between sbatch and
// its record.
TEST_F(OnSlurm, NothingIsLostOrRunTwiceWhenTheLauncherIsKilled) {
  const int jobs = full() ? 500 : 60;
  std::mt19937 random(4);
  std::vector<std::vector<PlannedJob>> units;
  std::set<int> failing;
  for (int wid = 1; wid <= jobs; ++wid) {
    if (random() % 5 == 0) failing.insert(wid);
    const std::string first = failing.contains(wid) ? "test -e second" : "true";
    units.push_back({shell("echo $KXM_WID-$KXM_ATTEMPT >>ran; sleep 0.2; " + first)});
  }
  const int xid = record(units);
  for (int i = 0; i < (full() ? 20 : 8); ++i) {
    const pid_t pid = launch(xid);
    // The first ones within the time that submitting takes.
    std::this_thread::sleep_for(
        milliseconds(i % 2 == 0 ? 20 + random() % 150 : 200 + random() % 1500));
    ::kill(i % 3 == 0 ? -pid : pid, SIGKILL);
    wait(pid);
  }
  const auto each_ran_once = [&] {
    for (auto& [attempt, times] : tally("ran")) EXPECT_EQ(times, 1) << attempt;
  };
  const Counts first = run(xid).units;
  EXPECT_EQ(first,
            counts(jobs - static_cast<int>(failing.size()), static_cast<int>(failing.size())));
  each_ran_once();
  std::set<int> ran;
  for (auto& [attempt, times] : tally("ran")) ran.insert(std::stoi(attempt));
  EXPECT_EQ(ran.size(), static_cast<std::size_t>(jobs));
  EXPECT_EQ(lines("ran"), jobs);  // one attempt of each that ran at all

  touch("second");
  EXPECT_EQ(run(xid, {.again = true}).units, counts(jobs));
  each_ran_once();
  EXPECT_EQ(lines("ran"), jobs + static_cast<int>(failing.size()));
}

TEST_F(OnSlurm, FindsABatchWhoseAnswerWasLost) {
  const int xid = record({{shell("echo x >>ran; sleep 3")}, {shell("echo x >>ran; sleep 3")}});
  const pid_t pid = launch(xid);
  until([&] { return lines("ran") == 2; });
  ::kill(pid, SIGKILL);
  wait(pid);
  int removed = 0;
  for (const auto& entry : fs::directory_iterator(folder / "runs/1/.kxm/slurm")) {
    if (entry.path().extension() == ".id") removed += fs::remove(entry.path());
  }
  EXPECT_EQ(removed, 1);
  EXPECT_EQ(run(xid).units, counts(2));
  EXPECT_EQ(lines("ran"), 2);
}

TEST_F(OnSlurm, ALostDatabaseIsBuiltAgainWhileJobsWaitAndRun) {
  std::vector<std::vector<PlannedJob>> units;
  for (int i = 0; i < 20; ++i) units.push_back({shell("echo $KXM_WID >>ran; sleep 1")});
  const int xid = record(units);
  const pid_t pid = launch(xid, {"max_parallel=6"});
  until([&] { return lines("ran") >= 3; });
  ::kill(pid, SIGKILL);
  wait(pid);
  State other(folder / "other");
  EXPECT_EQ(other.rebuild({folder / "runs/1"}), 1);
  EXPECT_EQ(kxm::run(other, xid, slurm).units, counts(20));
  EXPECT_EQ(lines("ran"), 20);
}

TEST_F(OnSlurm, WaitsForAControllerThatIsDown) {
  const int xid = record({{shell("echo x >>ran; while ! test -e go; do sleep 0.1; done")}});
  cluster.down("slurmctld");
  const pid_t pid = launch(xid);
  std::this_thread::sleep_for(seconds(2));
  EXPECT_EQ(::waitpid(pid, nullptr, WNOHANG), 0);  // it waits
  cluster.up("slurmctld");
  until([&] { return lines("ran") == 1; });
  cluster.down("slurmctld");
  touch("go");
  // The job's own record is enough.
  EXPECT_EQ(wait(pid), 0);
  EXPECT_EQ(state.count_units(xid), counts(1));
  cluster.up("slurmctld");
}

TEST_F(OnSlurm, JobsOfAFailedNodeAreQueuedAgain) {
  const int xid =
      record({{shell("echo $SLURMD_NODENAME $$ >>ran; while ! test -e go; do sleep 0.1; done")}});
  const pid_t launcher = launch(xid);
  until([&] { return lines("ran") == 1; });
  std::istringstream first(text("ran"));
  std::string node;
  int pid = 0;
  first >> node >> pid;
  // The machine is gone: its daemon, what watches the job, and the job.
  cluster.down(node);
  std::vector<int> chain = {pid};
  for (int i = 0; i < 3; ++i) {
    chain.push_back(std::stoi(sh("ps -o ppid= -p " + std::to_string(chain.back())).second));
  }
  EXPECT_EQ(sh("ps -o comm= -p " + std::to_string(chain.back())).second, "slurmstepd\n");
  for (auto each = chain.rbegin(); each != chain.rend(); ++each) ::kill(*each, SIGKILL);
  until([&] { return lines("ran") == 2; });
  touch("go");
  EXPECT_EQ(wait(launcher), 0);
  EXPECT_EQ(state.count_units(xid), counts(1));
  EXPECT_EQ(lines("ran"), 2);
  EXPECT_EQ(state.unit(xid, 1).jobs.front().attempts.size(), 1u);
}

TEST_F(OnSlurm, ANodeThatIsTakenForDeadDoesNotRunAJobTwiceAtOnce) {
  const int xid = record(
      {{shell("trap 'rmdir running; exit 143' TERM; mkdir running || echo x >>twice; echo x >>ran; "
              "for i in $(seq 70); do sleep 0.1; done; rmdir running")}});
  const pid_t launcher = launch(xid);
  until([&] { return lines("ran") == 1; });
  const std::string node = sh("squeue -h -o %N").second;
  sh("scontrol update state=down reason=test nodename=" + node);
  EXPECT_EQ(wait(launcher), 0);
  EXPECT_EQ(state.count_units(xid), counts(1));
  EXPECT_LE(lines("ran"), 2);
  EXPECT_EQ(lines("twice"), 0) << log(xid, 1);
}

TEST_F(OnSlurm, ADrainedNodeFinishesItsJobsAndGetsNoMore) {
  std::vector<std::vector<PlannedJob>> units;
  for (int i = 0; i < 30; ++i) units.push_back({shell("echo $SLURMD_NODENAME >>ran; sleep 0.5")});
  const int xid = record(units);
  const pid_t pid = launch(xid);
  until([&] { return lines("ran") >= 1; });
  std::string node = text("ran");
  node = node.substr(0, node.find('\n'));
  sh("scontrol update nodename=" + node + " state=drain reason=test");
  EXPECT_EQ(wait(pid), 0);
  EXPECT_EQ(state.count_units(xid), counts(30));
  EXPECT_EQ(lines("ran"), 30);
}

TEST_F(OnSlurm, PreemptedJobsGoOn) {
  PlannedJob job = shell("echo x >>ran; while ! test -e go; do sleep 0.1; done");
  job.resources.cpus = 4;
  const int xid = record({{job}, {job}, {job}});
  const pid_t pid = launch(xid);
  until([&] { return lines("ran") == 3; });
  sh("sbatch --partition=urgent --cpus-per-task=4 --output=/dev/null --wrap 'sleep 2'");
  until([&] { return lines("ran") == 4; });
  touch("go");
  EXPECT_EQ(wait(pid), 0);
  EXPECT_EQ(state.count_units(xid), counts(3));
  EXPECT_EQ(lines("ran"), 4);
}

TEST_F(OnSlurm, AJobSavesBeforeItsTimeLimitAndGoesOn) {
  // It needs three turns, and says what it is told.
  PlannedJob job = shell(
      "n=$(($(cat saved 2>/dev/null) + 1)); echo $n >>ran; trap 'echo $n >saved; exit 143' TERM; "
      "if test $n = 3; then exit 0; fi; while true; do sleep 0.1; done");
  PlannedJob endless = shell("echo x >>endless; while true; do sleep 0.1; done");
  job.resources.seconds = endless.resources.seconds = 60;
  slurm.requeues = 2;
  const int xid = record({{job}, {endless}});
  EXPECT_EQ(run(xid).units, counts(1, 1));
  EXPECT_EQ(text("ran"), "1\n2\n3\n");
  EXPECT_EQ(lines("endless"), 3);
  EXPECT_EQ(why(xid, 2), "over its time limit");
  for (const int wid : {1, 2}) EXPECT_EQ(state.unit(xid, wid).jobs.front().attempts.size(), 1u);
}

// What Slurm sends before a time limit, sent when steps are made: the training saves, queues up
// again, and ends bitwise as one that was left alone.
TEST_F(OnSlurm, ATrainingThatRunsOutOfTimeEndsAsIfItHadNot) {
  std::vector<std::vector<PlannedJob>> units;
  for (const char* unit : {"1", "2"}) {
    const auto args = cli::small_run(
        "train",
        {"--cfg.workdir=" + (folder / "runs/1" / unit).string(), "--cfg.num_train_steps=400",
         "--cfg.checkpointer.save_interval_steps=50", "--cfg.log_metrics_every=50"});
    PlannedJob job = {.name = "train", .argv = {std::string(KD_BINARY_DIR) + "/kd"}};
    job.argv.insert(job.argv.end(), args.begin(), args.end());
    job.role = Role::train;
    units.push_back({job});
  }
  const int xid = record(units);
  const pid_t launcher = launch(xid);
  until([&] { return fs::exists(folder / "runs/1/1/checkpoints/ckpt_50"); });
  EXPECT_EQ(sh("scancel --batch --signal=USR1 $(squeue -h -r -o %F | head -1)_0").first, 0);
  EXPECT_EQ(wait(launcher), 0);
  EXPECT_EQ(state.count_units(xid), counts(2)) << log(xid, 1);
  EXPECT_THAT(log(xid, 1), HasSubstr("stopping after this step"));
  const UnitRow unit = state.unit(xid, 1);
  ASSERT_EQ(unit.jobs.front().attempts.size(), 1u);
  EXPECT_TRUE(fs::exists(fs::path(unit.jobs.front().attempts.front().folder) / "run-2"));
  for (const char* file : {"state.safetensors", "ds_iter.json"}) {
    const fs::path end = fs::path("checkpoints/ckpt_400") / file;
    EXPECT_THAT(text("runs/1/2" / end), Not(IsEmpty()));
    EXPECT_TRUE(text("runs/1/1" / end) == text("runs/1/2" / end)) << file;
  }
}

// The whole program: a sweep of a script, and one of a training with what it kept.
TEST_F(OnSlurm, KdLaunchesAndResumes) {
  const std::string here = "cd " + folder.path().string() +
                           " && export KD_STATE=" + (folder / "of_kd").string() + " && " +
                           KD_BINARY_DIR + "/kd ";
  base::File(folder / "job.sh", O_WRONLY | O_CREAT, 0755)
      .write("#!/bin/sh\necho $* $SLURM_JOB_ID >> ran\n[ $1 != --x=2 ] || [ -e fixed ]\n");
  auto [code, out] =
      sh(here + "launch --xp=single --xp.target=./job.sh --sweep.x=[1,2,3] --quiet 2>&1");
  EXPECT_EQ(code, 1) << out;
  EXPECT_THAT(out, AllOf(HasSubstr("experiment 1 on Slurm"), HasSubstr("2 finished, 1 failed")));
  EXPECT_EQ(lines("ran"), 3);
  EXPECT_THAT(text("ran"), ContainsRegex("--x=3 [0-9]+\n"));  // on a node, not here
  sh("touch " + (folder / "fixed").string());
  std::tie(code, out) = sh(here + "resume 1 --quiet 2>&1");
  EXPECT_EQ(code, 0) << out;
  EXPECT_EQ(lines("ran"), 4);
  std::tie(code, out) =
      sh(here +
         "launch --cfg=mnist_autoencoder --cfg.num_train_steps=2 --sweep.seed=[1,2] "
         "--cfg.train_ds.num_workers=0 --cfg.evals.eval.num_batches=1 --quiet 2>&1");
  EXPECT_EQ(code, 0) << out;
  EXPECT_TRUE(fs::exists(folder / "runs/2/2-seed=2/train_complete.txt"));
}

TEST_F(OnSlurm, StopsWhatRunsAndWhatWaits) {
  std::vector<std::vector<PlannedJob>> units;
  for (int i = 0; i < 20; ++i) {
    units.push_back({shell(
        "echo x >>ran; trap 'echo x >>saved; exit 143' TERM; while true; do sleep 0.1; done")});
  }
  const int xid = record(units);
  const pid_t pid = launch(xid, {"max_parallel=3"});
  until([&] { return lines("ran") == 3; });
  kxm::stop(state, xid, slurm, Stop::gently);
  EXPECT_EQ(wait(pid), 0);
  Counts stopped;
  stopped[JobState::stopped] = 20;
  EXPECT_EQ(state.count_units(xid), stopped);
  EXPECT_EQ(lines("ran"), 3);
  EXPECT_EQ(lines("saved"), 3);
  EXPECT_EQ(sh("squeue -h").second, "");
}

TEST_F(OnSlurm, StopsWithoutALauncherAndWhatSlurmNeverHeardOf) {
  const int xid = record({{shell("echo x >>ran; while true; do sleep 0.1; done")}});
  const pid_t pid = launch(xid);
  until([&] { return lines("ran") == 1; });
  ::kill(pid, SIGKILL);
  wait(pid);
  kxm::stop(state, xid, slurm, Stop::gently);
  until([&] { return sh("squeue -h").second.empty(); });
  Counts stopped;
  stopped[JobState::stopped] = 1;
  EXPECT_EQ(state.count_units(xid), stopped);

  // A launcher whose sbatch does not get through.
  cluster.down("slurmctld");
  const int late = record({{shell("echo x >>late")}});
  const pid_t waiting = launch(late);
  until([&] { return fs::exists(folder / "runs/2/.kxm/jobs/1/main/1/intent.json"); });
  kxm::stop(state, late, slurm, Stop::gently);
  cluster.up("slurmctld");
  EXPECT_EQ(wait(waiting), 0);
  EXPECT_EQ(state.count_units(late), stopped);
  EXPECT_EQ(lines("late"), 0);
}

TEST_F(OnSlurm, TwoLaunchersAtOnce) {
  std::vector<std::vector<PlannedJob>> units;
  for (int i = 0; i < 15; ++i) units.push_back({shell("echo $KXM_XID-$KXM_WID >>ran; sleep 0.3")});
  const int one = record(units), two = record(units);
  const pid_t a = launch(one), b = launch(two);
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_EQ(wait(launch(one)), 1);  // somebody runs it already
  EXPECT_EQ(wait(a), 0);
  EXPECT_EQ(wait(b), 0);
  EXPECT_EQ(state.count_units(one), counts(15));
  EXPECT_EQ(state.count_units(two), counts(15));
  EXPECT_EQ(tally("ran").size(), 30u);
  EXPECT_EQ(lines("ran"), 30);
}

TEST_F(OnSlurm, SetUpLinesComeFirst) {
  slurm.setup = {"export FROM_SETUP='a b'", "echo ready"};
  const int xid = record({{shell("echo \"$FROM_SETUP\"")}});
  EXPECT_EQ(run(xid).units, counts(1));
  EXPECT_EQ(log(xid, 1), "ready\na b\n");
  slurm.setup = {"false", "echo not reached"};
  const int failing = record({{shell("echo x")}});
  EXPECT_EQ(run(failing).units, counts(0, 1));
  EXPECT_EQ(log(failing, 1), "");
}

// With a runtime that only says what it was asked for; the real command lines have tests of their
// own.
TEST_F(OnSlurm, JobsRunInContainers) {
  fs::create_directory(folder / "bin");
  base::File(folder / "bin/apptainer", O_WRONLY | O_CREAT, 0777)
      .write(
          "#!/bin/sh\nwhile test $1 = exec -o ${1#-} != $1; do shift; done\necho in $1; shift; "
          "exec \"$@\"\n");
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", ((folder / "bin").string() + ":" + path).c_str(), 1);
  slurm.container = "image.sif";
  const int xid = record({{shell("echo $KXM_WID")}});
  EXPECT_EQ(run(xid).units, counts(1)) << log(xid, 1);
  EXPECT_EQ(log(xid, 1), "in image.sif\n1\n");

  ::setenv("PATH", (folder / "bin/none").c_str(), 1);
  try {
    run(record({{shell("true")}}));
    ADD_FAILURE();
  } catch (const konfig::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("neither apptainer nor podman nor docker; install one"));
  }
  ::setenv("PATH", path.c_str(), 1);
}

TEST_F(OnSlurm, ReplicasAreOneAllocation) {
  PlannedJob job = shell("echo $SLURM_PROCID of $SLURM_NTASKS >>ran");
  job.resources.replicas = 3;
  job.resources.cpus = 4;
  const int xid = record({{job}});
  EXPECT_EQ(run(xid).units, counts(1)) << log(xid, 1);
  EXPECT_EQ(tally("ran"),
            (std::map<std::string, int>{{"0 of 3", 1}, {"1 of 3", 1}, {"2 of 3", 1}}));
}

TEST_F(OnSlurm, WhatCanNeverRunIsRefusedWithTheReason) {
  PlannedJob large = shell("true");
  large.resources.cpus = 64;
  try {
    run(record({{large}}));
    FAIL();
  } catch (const konfig::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("job 'main': no node of this cluster has 64.0 CPUs"));
  }
  slurm.partition = "gold";
  try {
    run(record({{shell("true")}}));
    FAIL();
  } catch (const konfig::Error& error) {
    EXPECT_THAT(
        error.what(),
        HasSubstr("partition 'gold': this cluster has none of that name, but main, urgent"));
  }
  slurm.partition = "";
  slurm.options = {"--constraint=none-has-this"};
  const int refused = record({{shell("true")}});
  EXPECT_EQ(run(refused).units, counts(0, 1));
  EXPECT_THAT(why(refused, 1), HasSubstr("Invalid feature specification"));
}

}  // namespace
}  // namespace kxm
