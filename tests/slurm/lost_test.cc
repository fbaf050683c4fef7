// What may be lost on Slurm, launcher, answer, database or record, and no job is lost or run twice.
#include <random>
#include <set>

#include "tests/slurm/on_slurm_test.h"

namespace kxm {
namespace {

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

// A controller that is killed does not know what it was told last, and gives numbers again.
TEST_F(OnSlurm, SubmitsAgainWhatTheControllerForgot) {
  sh("scontrol update nodename=n[1-3] state=drain reason=test");
  cluster.save();
  const PlannedJob job = shell("echo $KXM_WID-$KXM_ATTEMPT >>ran");
  const int xid = record({{job}, {job}, {job}});
  const pid_t launcher = launch(xid);
  until([] { return sh("squeue -h -r | wc -l").second == "3\n"; });
  cluster.forget();
  EXPECT_EQ(sh("squeue -h").second, "");
  sh("scontrol update nodename=n[1-3] state=resume");
  EXPECT_EQ(wait(launcher), 0);
  EXPECT_EQ(state.count_units(xid), counts(3)) << why(xid, 1);
  EXPECT_EQ(tally("ran"), (std::map<std::string, int>{{"1-2", 1}, {"2-2", 1}, {"3-2", 1}}));
}

// It takes the job back into its queue, says so, and is killed. Its node ends the job all the same.
TEST_F(OnSlurm, SubmitsAgainWhatTheControllerForgotToRequeue) {
  // Jobs find it instead of Slurm's; the test goes on between its two files.
  fs::create_directory(folder / "bin");
  const std::string here = folder.path().string();
  const std::string real = sh("command -v scontrol").second;
  base::File(folder / "bin/scontrol", O_WRONLY | O_CREAT, 0777)
      .write("#!/bin/sh\ntrap '' TERM\nscontrol=" + real +
             "[ \"$1\" = requeue ] || exec $scontrol \"$@\"\n" +
             "$scontrol \"$@\" || exit\ntouch " + here + "/requeued\n" + "while ! test -e " + here +
             "/forgotten; do sleep 0.1; done\n");
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (here + "/bin:" + path).c_str(), 1);
  const int xid =
      record({{shell("echo $KXM_ATTEMPT >>ran; trap 'echo x >>saved; exit 0' TERM; while ! test -e "
                     "go; do sleep 0.1; "
                     "done")}});
  const pid_t launcher = launch(xid);
  ::setenv("PATH", path.c_str(), 1);
  until([&] { return lines("ran") == 1; });
  cluster.save();
  until([] { return sh("squeue -h -t R | wc -l").second == "1\n"; });
  EXPECT_EQ(sh("scancel --batch --signal=USR1 $(squeue -h -r -o %F | head -1)_0").first, 0);
  until([&] { return fs::exists(folder / "requeued"); });
  touch("go");
  cluster.forget();
  touch("forgotten");
  EXPECT_EQ(wait(launcher), 0);
  EXPECT_EQ(state.count_units(xid), counts(1))
      << why(xid, 1) << "\n"
      << sh("cat " + here + "/runs/1/.kxm/slurm/*.out").second;
  EXPECT_EQ(lines("saved"), 1);
  until([] { return sh("squeue -h").second.empty(); });
  EXPECT_EQ(lines("ran"), 2) << text("ran");
}

// Its controller does not look whether its nodes still have their jobs.
class Credulous : public OnSlurm {
 protected:
  Credulous() : OnSlurm("KD_SLURM_BATCH_START=3600") {}
};

// It queues the job again, hears that this has ended, and is killed: now it takes it for running.
TEST_F(Credulous, QueuesAgainWhatTheControllerTakesForRunning) {
  const int xid = record(
      {{shell("trap 'echo x >>saved; exit 0' TERM; echo x >>ran; test $(wc -l <ran) = 1 || exit 0; "
              "while :; do sleep 0.1; done")}});
  const pid_t launcher = launch(xid);
  until([&] { return lines("ran") == 1; });
  cluster.save();
  until([] { return sh("squeue -h -t R | wc -l").second == "1\n"; });
  EXPECT_EQ(sh("scontrol requeue $(squeue -h -r -o %F)_0").first, 0);
  until([&] { return lines("saved") >= 1; });  // Slurm may ask a second time
  until([] { return sh("squeue -h -t PD | wc -l").second == "1\n"; });
  cluster.forget();
  EXPECT_EQ(sh("squeue -h -t R | wc -l").second, "1\n");
  EXPECT_EQ(wait(launcher), 0);
  EXPECT_EQ(state.count_units(xid), counts(1)) << why(xid, 1);
  EXPECT_EQ(lines("ran"), 2);
  EXPECT_EQ(state.unit(xid, 1).jobs.front().attempts.size(), 1u);
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

// A full disk took the record, the launcher is gone, and Slurm has forgotten the job.
TEST_F(Forgetful, OneResumeRunsAgainWhatLeftNoRecord) {
  const auto leave_no_record = [&](const std::string& ran, bool supervised = false) {
    const int xid =
        record({{shell("echo x >>" + ran + "; while ! test -e go; do sleep 0.1; done")}});
    const pid_t launcher = launch(xid);
    until([&] { return lines(ran) == 1; });
    ::kill(launcher, SIGKILL);
    wait(launcher);
    touch("go");
    const fs::path attempt = folder / "runs" / std::to_string(xid) / ".kxm/jobs/1/main/1";
    until([&] { return fs::exists(attempt / "ended.json"); });
    until([] { return sh("squeue -h --states=all").second.empty(); });
    fs::remove(attempt / "ended.json");
    if (!supervised) fs::remove(attempt / "run-1/ended.json");
    fs::remove(folder / "go");
    return xid;
  };
  const int lost = leave_no_record("ran");
  touch("go");
  EXPECT_EQ(run(lost, {.again = true}).units, counts(1));
  EXPECT_EQ(lines("ran"), 2);
  fs::remove(folder / "go");

  // Its supervisor saw it finish.
  const int stopped_late = leave_no_record("late", true);
  kxm::stop(state, stopped_late, slurm, Stop::gently);
  EXPECT_EQ(state.count_units(stopped_late), counts(1));
  const int known = leave_no_record("known", true);
  EXPECT_EQ(run(known, {.again = true}).units, counts(1));
  EXPECT_EQ(lines("known"), 1);

  const int xid = leave_no_record("too");
  kxm::stop(state, xid, slurm, Stop::gently);
  Counts stopped;
  stopped[JobState::stopped] = 1;
  EXPECT_EQ(state.count_units(xid), stopped);
  touch("go");
  EXPECT_EQ(run(xid, {.again = true}).units, counts(1));
  EXPECT_EQ(lines("too"), 2);
}

}  // namespace
}  // namespace kxm
