// Slurm's controller is down, its nodes fail, and jobs are preempted or run out of time.
#include <sstream>

#include "tests/slurm/on_slurm_test.h"

namespace kxm {
namespace {

using testing::AllOf;
using testing::HasSubstr;

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

TEST_F(OnSlurm, JobsOfAFailedNodeAreQueuedAgainAndItComesBack) {
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
  cluster.up(node);
  slurm.options = {"--nodelist=" + node};
  EXPECT_EQ(run(record({{shell("true")}})).units, counts(1));
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

// Its daemon died, but not the job: the start on another node asks that to end, and follows it.
TEST_F(OnSlurm, AJobOnANodeThatIsTakenForDeadMakesWayForItsNextStart) {
  const int xid =
      record({{shell("trap 'echo x >>saved; exit 143' TERM; echo $SLURMD_NODENAME >>ran; "
                     "test $(wc -l <ran) = 1 || exit 0; while :; do sleep 0.1; done")}});
  const pid_t launcher = launch(xid);
  until([&] { return lines("ran") == 1; });
  const std::string node = text("ran").substr(0, 2);
  cluster.down(node);
  Attempt attempt;
  attempt.token = state.unit(xid, 1).jobs.front().attempts.front().token;
  attempt.folder = state.unit(xid, 1).jobs.front().attempts.front().folder;
  const std::string expected = "; an earlier start of it still runs on " + node;
  Seen seen;
  until([&] {
    seen = look_on_slurm(std::span(&attempt, 1)).seen.front();
    return seen.where.ends_with(expected);
  });
  EXPECT_EQ(seen.is, Seen::Is::running);
  until([&] { return lines("ran") == 2; });
  EXPECT_EQ(wait(launcher), 0);
  EXPECT_EQ(state.count_units(xid), counts(1)) << log(xid, 1);
  EXPECT_EQ(lines("saved"), 1);
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
  EXPECT_EQ(run(xid, noting()).units, counts(2, 1));
  EXPECT_THAT(notes, testing::Contains("1/1/main is back in the queue"));
  EXPECT_EQ(text("ran-143"), "1\n2\n3\n");
  EXPECT_EQ(text("ran-0"), "1\n2\n3\n");
  EXPECT_EQ(lines("endless"), 3);
  EXPECT_EQ(why(xid, 3), "over its time limit");
  for (const int wid : {1, 2, 3}) {
    ASSERT_EQ(state.unit(xid, wid).jobs.front().attempts.size(), 1u);
    const AttemptRow attempt = state.unit(xid, wid).jobs.front().attempts.front();
    EXPECT_EQ(attempt.requeues, 2);
    ASSERT_EQ(attempt.rounds.size(), 2u);
    for (const Round& round : attempt.rounds) {
      EXPECT_GT(round.started, 1e9);
      EXPECT_GT(round.ended, round.started + 1);
    }
  }
}

}  // namespace
}  // namespace kxm
