// Arrays below the limits of a cluster and the cap of an experiment.
#include "tests/slurm/on_slurm_test.h"

namespace kxm {
namespace {

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

// What later arrays no longer need of the cap, the first one gets.
TEST_F(OnSlurm, ArraysThatEndLeaveTheirPartOfTheCapToOthers) {
  std::vector<std::vector<PlannedJob>> units;
  for (int i = 0; i < 25; ++i) {
    const std::string wait = i < 11 ? "while ! test -e go; do sleep 0.1; done; " : "";
    units.push_back({shell("mkdir -p now; touch now/$KXM_WID; ls now | wc -l >>seen; " + wait +
                           "rm now/$KXM_WID")});
  }
  const int xid = record(units);
  const pid_t launcher = launch(xid, {"max_parallel=4"});
  until([&] { return lines("seen") == 14 + 4; });
  touch("go");
  EXPECT_EQ(wait(launcher), 0);
  EXPECT_EQ(state.count_units(xid), counts(25));
  for (auto& [count, times] : tally("seen")) EXPECT_LE(std::stoi(count), 4);
}

// Retries and further jobs are arrays of their own, which keep to the same cap.
TEST_F(OnSlurm, LaterArraysKeepToTheCapOfEarlierOnes) {
  const std::string busy =
      "mkdir -p now; touch now/$KXM_JOB-$KXM_WID; ls now | grep -c $KXM_JOB >>seen-$KXM_JOB; "
      "sleep 0.7; rm now/$KXM_JOB-$KXM_WID; ";
  std::vector<std::vector<PlannedJob>> units;
  for (int i = 0; i < 8; ++i) {
    PlannedJob after = shell(busy, "after");
    after.after = {"main"};
    units.push_back({shell(busy + "test $KXM_ATTEMPT = 2"), after});
  }
  slurm.max_parallel = 2;
  const int xid = record(units, [](Plan& plan) { plan.retries = 1; });
  EXPECT_EQ(run(xid).units, counts(8));
  EXPECT_EQ(lines("seen-main"), 16);
  EXPECT_EQ(lines("seen-after"), 8);
  for (const char* file : {"seen-main", "seen-after"}) {
    for (auto& [count, times] : tally(file)) EXPECT_LE(std::stoi(count), 2) << file;
  }
}

class BelowJobLimit : public OnSlurm {
 protected:
  BelowJobLimit() : OnSlurm("KD_SLURM_JOBS=16 KD_SLURM_MIN_AGE=2") {}
};

// More jobs than the controller keeps: the rest is submitted when others have ended.
TEST_F(BelowJobLimit, TheRestWaitsUntilOthersHaveEnded) {
  std::vector<std::vector<PlannedJob>> units;
  for (int i = 0; i < 26; ++i) units.push_back({shell("echo $KXM_WID-$KXM_ATTEMPT >>ran")});
  const int xid = record(units);
  EXPECT_EQ(run(xid, noting()).units, counts(26));
  EXPECT_EQ(lines("ran"), 26);
  EXPECT_EQ(tally("ran").size(), 26u);
}

// sbatch would wait in silence: the launcher says what it waits for, and Ctrl-C ends it.
TEST_F(BelowJobLimit, TheLimitIsNamedAndTheLauncherCanBeStopped) {
  std::vector<std::vector<PlannedJob>> units;
  for (int i = 0; i < 26; ++i) units.push_back({shell("while true; do sleep 0.1; done")});
  const int xid = record(units);
  Stopper stopper;
  RunOptions options;
  options.stopper = &stopper;
  options.on_event = [&](const Event& event) {
    if (event.kind != Event::Kind::note) return;
    notes.push_back(event.text);
    stopper.ask(Stop::gently);
  };
  EXPECT_TRUE(run(xid, options).stopped);
  ASSERT_FALSE(notes.empty());
  EXPECT_THAT(notes.front(), testing::HasSubstr("Slurm takes no more jobs for now (MaxJobCount)"));
  Counts stopped;
  stopped[JobState::stopped] = 26;
  EXPECT_EQ(state.count_units(xid), stopped);
  until([] { return sh("squeue -h").second.empty(); });
}

}  // namespace
}  // namespace kxm
