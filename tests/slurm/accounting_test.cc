// Slurm with accounting: its limits, and what it knows of jobs that the controller has forgotten.
#include "tests/slurm/on_slurm_test.h"

namespace kxm {
namespace {

using testing::HasSubstr;

// With slurmdbd and MariaDB, which `./test --full` installs.
class WithAccounting : public OnSlurm {
 protected:
  WithAccounting() : OnSlurm("KD_SLURM_ACCOUNTING=1 KD_SLURM_MIN_AGE=2") {}
  static void manage(const std::string& what) {
    const auto [code, out] = sh("sacctmgr --immediate " + what + " 2>&1");
    EXPECT_EQ(code, 0) << out;
  }
  // Until the controller has heard of it.
  static void until_limit(const std::string& of, const std::string& expected) {
    until([&] {
      return sh("scontrol show assoc_mgr flags=" + of).second.find(expected) != std::string::npos;
    });
  }
};

TEST_F(WithAccounting, SubmitLimitsAreWaitedFor) {
  manage("modify user root set MaxSubmitJobs=7");
  until_limit("assoc", "MaxSubmitJobs=7");
  std::vector<std::vector<PlannedJob>> units;
  for (int i = 0; i < 30; ++i) units.push_back({shell("echo $KXM_WID-$KXM_ATTEMPT >>ran")});
  const int xid = record(units);
  EXPECT_EQ(run(xid, noting()).units, counts(30));
  EXPECT_EQ(lines("ran"), 30);
  EXPECT_EQ(tally("ran").size(), 30u);
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_THAT(notes[0], HasSubstr("Slurm takes no more jobs for now (AssocMaxSubmitJobLimit)"));
  EXPECT_EQ(notes[1], "Slurm has taken all jobs");

  // Of a QOS, with launchers that die.
  manage("modify user root set MaxSubmitJobs=-1");
  manage("add qos small MaxSubmitJobsPerUser=4 Flags=DenyOnLimit MaxWall=10");
  manage("modify user root set QOS+=small");
  until_limit("qos", "small");
  slurm.qos = "small";
  const int second = record(units);
  for (int i = 0; i < 3; ++i) {
    const pid_t pid = launch(second, {"qos=small"});
    std::this_thread::sleep_for(milliseconds(1500));
    ::kill(pid, SIGKILL);
    wait(pid);
  }
  EXPECT_EQ(run(second).units, counts(30));
  EXPECT_EQ(lines("ran"), 60);

  // A limit that waiting does not lift.
  PlannedJob endless = shell("true");
  endless.resources.seconds = 3600;
  const int never = record({{endless}});
  EXPECT_EQ(run(never).units, counts(0, 1));
  EXPECT_THAT(why(never, 1), HasSubstr("Job violates accounting/QOS policy"));
}

// What left no record and no trace in the controller is in the accounts.
TEST_F(WithAccounting, SacctSaysHowAJobEndedThatLeftNoRecord) {
  const int xid = record({{shell("echo $$ >>ran; while true; do sleep 0.1; done")},
                          {shell("echo $$ >>ran; while true; do sleep 0.1; done")}});
  const pid_t pid = launch(xid);
  until([&] { return lines("ran") == 2; });
  ::kill(pid, SIGKILL);
  wait(pid);
  // Killed by an administrator, with all that could have written a record.
  std::istringstream pids(text("ran"));
  for (int job = 0; pids >> job;) {
    const int supervisor = std::stoi(sh("ps -o ppid= -p " + std::to_string(job)).second);
    const int runner = std::stoi(sh("ps -o ppid= -p " + std::to_string(supervisor)).second);
    for (const int each : {runner, supervisor, job}) ::kill(each, SIGKILL);
  }
  const std::string id = sh("cat " + (folder / "runs/1/.kxm/slurm").string() + "/*.answer").second;
  // The controller forgets it, which it does once a minute.
  until([&] { return sh("scontrol show job " + id).first != 0; });
  EXPECT_EQ(run(xid).units, counts(0, 2));
  EXPECT_THAT(why(xid, 1), HasSubstr("lost"));
  const Ended ended = *state.unit(xid, 1).jobs.front().attempts.front().ended;
  EXPECT_THAT(ended.host, testing::MatchesRegex("n[123]"));
  EXPECT_GT(ended.started, 1e9);
  EXPECT_THAT(ended.reason, HasSubstr("Slurm says FAILED"));
}

}  // namespace
}  // namespace kxm
