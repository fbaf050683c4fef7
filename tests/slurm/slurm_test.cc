// Experiments on a real Slurm: jobs run as on this machine, side by side, or are refused.
#include "tests/slurm/on_slurm_test.h"

namespace kxm {
namespace {

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

// Evaluators are small and would be started first, on the nodes that their trainings wait for.
TEST_F(OnSlurm, EvaluatorsDoNotTakeThePlaceOfTheirTrainings) {
  const std::string here = folder.path().string();
  for (const char* node : {"n1", "n2", "n3"}) {
    sh("sbatch --output=/dev/null --nodelist=" + std::string(node) + " --wrap 'while ! test -e " +
       here + "/free; do sleep 0.1; done'");
  }
  std::vector<std::vector<PlannedJob>> units;
  for (int wid = 1; wid <= 4; ++wid) {
    const std::string complete = here + "/runs/1/" + std::to_string(wid) + "/train_complete.txt";
    PlannedJob train = shell("sleep 2; touch " + complete, "train");
    train.role = Role::train;
    train.resources.cpus = 4;
    PlannedJob eval = shell("while ! test -e " + complete + "; do sleep 0.1; done", "eval");
    eval.role = Role::evaluate;
    units.push_back({train, eval});
  }
  const int xid = record(units);
  const pid_t launcher = launch(xid);
  until([] { return sh("squeue -h -r -t PD -n kxm-1-train | wc -l").second == "4\n"; });
  EXPECT_EQ(sh("squeue -h -r -n kxm-1-eval").second, "");
  touch("free");
  until([&] { return state.count_units(xid) == counts(4); });
  EXPECT_EQ(wait(launcher), 0);
}

TEST_F(OnSlurm, SetUpLinesComeFirst) {
  slurm.setup = {"export FROM_SETUP='a b'", "echo ready"};
  const int xid = record({{shell("echo \"$FROM_SETUP\"")}});
  EXPECT_EQ(run(xid).units, counts(1));
  EXPECT_EQ(log(xid, 1), "ready\na b\n");
  slurm.setup = {"false", "echo not reached"};
  const int failing = record({{shell("echo x")}});
  EXPECT_EQ(run(failing).units, counts(0, 1));
  EXPECT_EQ(log(failing, 1),
            "kxm: the set-up lines of launch.yaml ended with 1; the job was not started\n");
}

TEST_F(OnSlurm, ReplicasAreOneAllocation) {
  PlannedJob job = shell("echo $SLURM_PROCID of $SLURM_NTASKS >>ran; echo here");
  job.resources.replicas = 3;
  job.resources.cpus = 4;
  const int xid = record({{job}});
  EXPECT_EQ(run(xid).units, counts(1)) << log(xid, 1) << state.unit(xid, 1).jobs[0].why();
  EXPECT_EQ(tally("ran"),
            (std::map<std::string, int>{{"0 of 3", 1}, {"1 of 3", 1}, {"2 of 3", 1}}));
  EXPECT_EQ(state.unit(xid, 1).jobs[0].attempts.back().ended->host, "n[1-3]");
  std::string lines = log(xid, 1);
  for (const std::string line : {"0: here\n", "1: here\n", "2: here\n"}) {
    ASSERT_THAT(lines, HasSubstr(line));
    lines.erase(lines.find(line), line.size());
  }
  EXPECT_EQ(lines, "");
}

// As one task does.
TEST_F(OnSlurm, ReplicasSaveWhenTheyAreStoppedAndTheirExitCodesCount) {
  PlannedJob job = shell(
      "trap 'sleep 1; echo x >>saved; exit 0' TERM; echo x >>ran; while :; do sleep 0.1; done");
  PlannedJob fails =
      shell("test $SLURM_PROCID != 1 || exit 3; trap 'exit 9' TERM; while :; do sleep 0.1; done");
  for (PlannedJob* each : {&job, &fails}) each->resources.replicas = 3;
  const int xid = record({{job}, {fails}});
  const pid_t launcher = launch(xid);
  until([&] { return lines("ran") == 3; });
  kxm::stop(state, xid, slurm, Stop::gently, {1});
  EXPECT_EQ(wait(launcher), 0);
  EXPECT_EQ(lines("saved"), 3) << log(xid, 1);
  EXPECT_EQ(state.unit(xid, 1).state, JobState::stopped);
  EXPECT_EQ(why(xid, 2), "exit code 3");
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
  PlannedJob wide = shell("true");
  wide.resources.cpus = 2;
  wide.resources.replicas = 7;
  try {
    run(record({{wide}}));
    FAIL();
  } catch (const konfig::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("asks for 2 CPUs for each of 7 tasks, but this cluster has "
                                        "room for 6 of these tasks"));
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
