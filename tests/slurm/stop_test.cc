// Jobs on Slurm are stopped: wherever they are, by whom, with a launcher and without one.
#include <sstream>

#include "tests/slurm/on_slurm_test.h"

namespace kxm {
namespace {

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

// Slurm keeps nothing of a task that is cancelled before it has begun. Its controller was started
// after it took the job, but knows the rest of the array.
TEST_F(OnSlurm, CancelledBehindOurBackWhileTheyWait) {
  PlannedJob job = shell("echo $KXM_WID >>ran; while ! test -e go; do sleep 0.1; done");
  job.resources.cpus = 4;
  const int xid = record({{job}, {job}, {job}, {job}, {job}, {job}});
  const pid_t launcher = launch(xid);
  until([&] { return lines("ran") == 3; });
  cluster.restart("slurmctld");
  until([] { return sh("squeue -h -r -t R 2>/dev/null | wc -l").second == "3\n"; });
  const std::string array = sh("squeue -h -r -o %F | head -1 | tr -d '\\n'").second;
  EXPECT_EQ(sh("scancel " + array + "_4 " + array + "_5").first, 0);
  for (const int wid : {5, 6}) {
    until([&] { return state.unit(xid, wid).state != JobState::running; });
    EXPECT_EQ(why(xid, wid), "stopped: cancelled in Slurm");
  }
  touch("go");
  EXPECT_EQ(wait(launcher), 0);
  Counts expected = counts(4);
  expected[JobState::stopped] = 2;
  EXPECT_EQ(state.count_units(xid), expected);
  EXPECT_EQ(run(xid, {.again = true}).units, counts(6));
  EXPECT_EQ(lines("ran"), 6);
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

}  // namespace
}  // namespace kxm
