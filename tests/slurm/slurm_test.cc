// Experiments on a real Slurm: what may die, and nothing is lost or run twice.
#include <random>
#include <set>

#include "tests/slurm/on_slurm_test.h"

namespace kxm {
namespace {

using testing::AllOf;
using testing::HasSubstr;

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
  const std::string answer = (folder / "runs/1/.kxm/slurm").string() + "/*.answer";
  until([&] { return lines("ran") == 2 && !sh("cat " + answer).second.empty(); });
  ::kill(pid, SIGKILL);
  wait(pid);
  EXPECT_EQ(sh("rm " + answer).first, 0);
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

// People see that nothing happens, and why; Ctrl-C ends it.
TEST_F(OnSlurm, SaysThatItWaitsForAController) {
  cluster.down("slurmctld");
  const int xid = record({{shell("echo x >>ran")}});
  Stopper stopper;
  std::vector<std::string> notes;
  RunOptions options;
  options.stopper = &stopper;
  options.on_event = [&](const Event& event) {
    if (event.kind != Event::Kind::note) return;
    notes.push_back(event.text);
    stopper.ask(Stop::gently);
  };
  EXPECT_TRUE(run(xid, options).stopped);
  ASSERT_FALSE(notes.empty());
  EXPECT_THAT(notes.front(), AllOf(HasSubstr("Slurm does not answer ("), HasSubstr("waiting")));
  Counts stopped;
  stopped[JobState::stopped] = 1;
  EXPECT_EQ(state.count_units(xid), stopped);
  cluster.up("slurmctld");
  until([] { return sh("squeue -h").first == 0; });
  EXPECT_EQ(sh("squeue -h").second, "");
  EXPECT_EQ(lines("ran"), 0);
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

// Also a job that saves and exits with 0.
TEST_F(OnSlurm, PreemptedJobsGoOn) {
  PlannedJob job = shell(
      "trap 'echo x >saved-$KXM_WID; sleep 1; exit 0' TERM; echo x >>ran; "
      "while ! test -e go; do sleep 0.1; done");
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
  EXPECT_EQ(sh("cat " + folder.path().string() + "/saved-*").second, "x\n");
}

TEST_F(OnSlurm, AJobSavesBeforeItsTimeLimitAndGoesOn) {
  // It needs three turns, and says what it is told; whatever it exits with, it was not done.
  const auto saves = [](const std::string& code) {
    PlannedJob job = shell(
        "n=$(($(cat saved-$0 2>/dev/null) + 1)); trap 'echo $n >saved-$0; exit '$0 TERM; "
        "echo $n >>ran-$0; if test $n = 3; then exit 0; fi; while true; do sleep 0.1; done");
    job.argv.push_back(code);
    job.resources.seconds = 60;
    return job;
  };
  PlannedJob endless = shell("echo x >>endless; while true; do sleep 0.1; done");
  endless.resources.seconds = 60;
  slurm.requeues = 2;
  const int xid = record({{saves("143")}, {saves("0")}, {endless}});
  EXPECT_EQ(run(xid).units, counts(2, 1));
  EXPECT_EQ(text("ran-143"), "1\n2\n3\n");
  EXPECT_EQ(text("ran-0"), "1\n2\n3\n");
  EXPECT_EQ(lines("endless"), 3);
  EXPECT_EQ(why(xid, 3), "over its time limit");
  for (const int wid : {1, 2, 3}) {
    ASSERT_EQ(state.unit(xid, wid).jobs.front().attempts.size(), 1u);
    EXPECT_EQ(state.unit(xid, wid).jobs.front().attempts.front().requeues, 2);
  }
}

TEST_F(OnSlurm, StopsWhatRunsAndWhatWaits) {
  std::vector<std::vector<PlannedJob>> units;
  for (int i = 0; i < 20; ++i) {
    units.push_back(
        {shell("echo x >>ran; trap 'echo x >saved-$KXM_WID; exit 143' TERM; while :; do sleep 0.1; "
               "done")});
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
  EXPECT_EQ(sh("cat " + folder.path().string() + "/saved-* | wc -l").second, "3\n");
  until([] { return sh("squeue -h").second.empty(); });
}

// Wherever they are between the queue and their first line, with a launcher and without one.
TEST_F(OnSlurm, StopsManyAtAnyMoment) {
  std::vector<std::vector<PlannedJob>> units;
  for (int i = 0; i < 24; ++i) {
    units.push_back(
        {shell("trap 'exit 143' TERM; echo x >>ran; while ! test -e go; do sleep 0.1; done")});
  }
  const int xid = record(units);
  Counts stopped;
  stopped[JobState::stopped] = 24;
  for (const int begun : {1, 6, 12}) {
    fs::remove(folder / "ran");
    const pid_t pid = launch(xid, {"again"});
    until([&] { return lines("ran") >= begun; });
    const bool alone = begun == 6;
    if (alone) ::kill(pid, SIGKILL);
    if (alone) wait(pid);
    kxm::stop(state, xid, slurm, Stop::gently);
    until([] { return sh("squeue -h").second.empty(); });
    if (!alone) EXPECT_EQ(wait(pid), 0);
    EXPECT_EQ(state.count_units(xid), stopped) << begun;
  }
  touch("go");
  EXPECT_EQ(run(xid, {.again = true}).units, counts(24));
}

// Its node sees the wish by itself.
TEST_F(OnSlurm, StopsWhatRunsWhileTheControllerIsDown) {
  const int xid = record(
      {{shell("trap 'echo x >saved; exit 0' TERM; echo x >>ran; while true; do sleep 0.1; done")},
       {shell("echo x >>ran; while true; do sleep 0.1; done")}});
  const pid_t pid = launch(xid);
  until([&] { return lines("ran") == 2; });
  cluster.down("slurmctld");
  kxm::stop(state, xid, slurm, Stop::gently);
  EXPECT_EQ(wait(pid), 0);
  Counts stopped;
  stopped[JobState::stopped] = 2;
  EXPECT_EQ(state.count_units(xid), stopped);
  EXPECT_EQ(lines("saved"), 1);
  cluster.up("slurmctld");
}

// The rest of its array goes on waiting.
TEST_F(OnSlurm, StopsOneOfThoseThatWait) {
  PlannedJob job = shell("echo $KXM_WID >>ran; while ! test -e go; do sleep 0.1; done");
  job.resources.cpus = 4;
  const int xid = record({{job}, {job}, {job}, {job}, {job}, {job}});
  const pid_t pid = launch(xid);
  until([&] { return lines("ran") == 3; });
  kxm::stop(state, xid, slurm, Stop::gently, {5});
  until([&] { return state.unit(xid, 5).state == JobState::stopped; });
  until([] { return sh("squeue -h -r -t PENDING | wc -l").second == "2\n"; });
  touch("go");
  EXPECT_EQ(wait(pid), 0);
  Counts expected = counts(5);
  expected[JobState::stopped] = 1;
  EXPECT_EQ(state.count_units(xid), expected);
  EXPECT_EQ(lines("ran"), 5);
}

class Forgetful : public OnSlurm {
 protected:
  Forgetful() : OnSlurm("KD_SLURM_MIN_AGE=2") {}
};

// Not by us: the jobs hear of it, are gone when Slurm says so, and do not count as lost when it has
// forgotten them.
TEST_F(Forgetful, CancelledBehindOurBack) {
  const std::string loop = "while ! test -e go; do sleep 0.1; done";
  // One dies of it, one does not care, one has saved and is content.
  const int xid = record(
      {{shell("trap 'echo x >saved-$KXM_WID; exit 143' TERM; echo $$ >>ran; " + loop)},
       {shell("trap '' TERM; echo $$ >>ran; " + loop)},
       {shell("echo $$ >>ran; " + loop)},
       {shell("trap 'echo x >saved-$KXM_WID; sleep 1; exit 0' TERM; echo $$ >>ran; " + loop)}});
  const pid_t launcher = launch(xid);
  until([&] { return lines("ran") == 4; });
  const std::string array = sh("squeue -h -r -o %F | head -1 | tr -d '\\n'").second;
  EXPECT_EQ(sh("scancel " + array + "_0 " + array + "_1 " + array + "_3").first, 0);
  for (const int wid : {1, 2, 4}) {
    until([&] { return state.unit(xid, wid).state != JobState::running; });
  }
  const auto alive = [&] {
    int out = 0;
    std::istringstream pids(text("ran"));
    for (int pid; pids >> pid;) out += ::kill(pid, 0) == 0;
    return out;
  };
  EXPECT_EQ(alive(), 1);
  touch("go");
  EXPECT_EQ(wait(launcher), 0);
  Counts expected = counts(1);
  expected[JobState::stopped] = 3;
  EXPECT_EQ(state.count_units(xid), expected) << why(xid, 1) << why(xid, 2) << why(xid, 4);
  EXPECT_EQ(why(xid, 4), "stopped: cancelled in Slurm");
  EXPECT_GT(state.unit(xid, 4).jobs.front().attempts.front().ended->started, 1e9);
  EXPECT_EQ(text("saved-1") + text("saved-4"), "x\nx\n");
  EXPECT_EQ(run(xid, {.again = true}).units, counts(4));
  EXPECT_EQ(lines("ran"), 7);
}

// A full disk took the record, the launcher is gone, and Slurm has forgotten the job.
TEST_F(Forgetful, OneResumeRunsAgainWhatLeftNoRecord) {
  const auto leave_no_record = [&](const std::string& ran) {
    const int xid =
        record({{shell("echo x >>" + ran + "; while ! test -e go; do sleep 0.1; done")}});
    const pid_t launcher = launch(xid);
    until([&] { return lines(ran) == 1; });
    ::kill(launcher, SIGKILL);
    wait(launcher);
    touch("go");
    const fs::path ended = folder / "runs" / std::to_string(xid) / ".kxm/jobs/1/main/1/ended.json";
    until([&] { return fs::exists(ended); });
    until([] { return sh("squeue -h --states=all").second.empty(); });
    fs::remove(ended);
    fs::remove(folder / "go");
    return xid;
  };
  const int lost = leave_no_record("ran");
  touch("go");
  EXPECT_EQ(run(lost, {.again = true}).units, counts(1));
  EXPECT_EQ(lines("ran"), 2);
  fs::remove(folder / "go");

  const int xid = leave_no_record("too");
  kxm::stop(state, xid, slurm, Stop::gently);
  Counts stopped;
  stopped[JobState::stopped] = 1;
  EXPECT_EQ(state.count_units(xid), stopped);
  touch("go");
  EXPECT_EQ(run(xid, {.again = true}).units, counts(1));
  EXPECT_EQ(lines("too"), 2);
}

// It saves when `resume` comes: that waits, and goes on with it.
TEST_F(OnSlurm, ResumesWhatIsStillBeingStopped) {
  const int xid =
      record({{shell("if test -e saved; then exit; fi; trap 'sleep 3; touch saved; exit 143' TERM; "
                     "echo x >>ran; while true; do sleep 0.1; done")}});
  const pid_t launcher = launch(xid);
  until([&] { return lines("ran") == 1; });
  ::kill(launcher, SIGKILL);
  wait(launcher);
  kxm::stop(state, xid, slurm, Stop::gently);
  EXPECT_EQ(run(xid, {.again = true}).units, counts(1));
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
  EXPECT_EQ(state.count_units(xid), stopped) << why(xid, 1);

  // A launcher whose sbatch does not get through.
  cluster.down("slurmctld");
  const int late = record({{shell("echo x >>late")}});
  const pid_t waiting = launch(late);
  until([&] { return fs::exists(folder / "runs/2/.kxm/intents"); });
  kxm::stop(state, late, slurm, Stop::gently);
  cluster.up("slurmctld");
  EXPECT_EQ(wait(waiting), 0);
  EXPECT_EQ(state.count_units(late), stopped);
  EXPECT_EQ(lines("late"), 0);

  // One that died before Slurm got anything of it.
  cluster.down("slurmctld");
  const int never = record({{shell("echo x >>late")}});
  const pid_t dying = launch(never);
  until([&] { return fs::exists(folder / "runs/3/.kxm/intents"); });
  ::kill(dying, SIGKILL);
  wait(dying);
  kxm::stop(state, never, slurm, Stop::gently);  // its sbatch still tries
  EXPECT_EQ(state.count_units(never), stopped);
  cluster.up("slurmctld");
  EXPECT_EQ(lines("late"), 0);
}

TEST_F(OnSlurm, TwoLaunchersAtOnce) {
  std::vector<std::vector<PlannedJob>> units;
  for (int i = 0; i < 15; ++i) {
    units.push_back(
        {shell("echo $KXM_XID-$KXM_WID >>ran; while ! test -e go; do sleep 0.1; done")});
  }
  const int one = record(units), two = record(units);
  const pid_t a = launch(one), b = launch(two);
  until_launched(one);
  EXPECT_EQ(wait(launch(one)), 1);  // somebody runs it already
  touch("go");
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

TEST_F(OnSlurm, ReplicasAreOneAllocation) {
  PlannedJob job = shell("echo $SLURM_PROCID of $SLURM_NTASKS >>ran");
  job.resources.replicas = 3;
  job.resources.cpus = 4;
  const int xid = record({{job}});
  EXPECT_EQ(run(xid).units, counts(1)) << log(xid, 1) << state.unit(xid, 1).jobs[0].why();
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
    EXPECT_THAT(error.what(), HasSubstr("job 'main': no node of this cluster has 64 CPUs; "));
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
