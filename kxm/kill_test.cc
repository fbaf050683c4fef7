// Launchers that are killed at any instant: every attempt runs once, none is lost.
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <random>
#include <sstream>
#include <thread>

#include "kxm/fixture_test.h"
#include "test_paths.h"

namespace kxm {
namespace {

namespace fs = std::filesystem;

bool full() {
  const char* value = std::getenv("KD_TEST_FULL");
  return value && std::string(value) == "1";
}

class Kill : public RunTest {
 protected:
  pid_t launch(int xid, bool again = false) const {
    const pid_t pid = ::fork();
    if (pid == 0) {
      const int null = ::open("/dev/null", O_WRONLY);
      ::dup2(null, 1);
      const std::string program = KD_BINARY_DIR "/tests/kxm_driver";
      ::execl(program.c_str(), program.c_str(), state_path.c_str(), std::to_string(xid).c_str(),
              again ? "again" : "", nullptr);
      ::_exit(127);
    }
    return pid;
  }
  static int wait(pid_t pid) {
    int status = -1;
    ::waitpid(pid, &status, 0);
    return status;
  }
  // Of a job that runs without supervisor and launcher, until somebody writes to `go`.
  int record_orphan() {
    EXPECT_EQ(::mkfifo((folder / "go").c_str(), 0600), 0);
    const int xid = record({{shell("kill -KILL $PPID; echo on >>ran; read line <go")}});
    const pid_t launcher = launch(xid);
    while (base::try_read_file(folder / "ran").value_or("") != "on\n") {
    }
    ::kill(launcher, SIGKILL);
    wait(launcher);
    return xid;
  }
  // How often each token ran, by its own account.
  std::map<std::string, int> ran() const {
    std::map<std::string, int> out;
    std::istringstream lines(base::try_read_file(folder / "ran").value_or(""));
    for (std::string line; std::getline(lines, line);) ++out[line];
    return out;
  }
};

TEST_F(Kill, NothingIsLostAndNothingRunsTwice) {
  const int jobs = full() ? 500 : 60;
  const int kills = full() ? 20 : 8;
  std::mt19937 random(17);
  // One in five fails at its first attempt, at random.
  const int failing = jobs / 5;
  std::vector<char> fails(static_cast<std::size_t>(jobs), 0);
  std::fill_n(fails.begin(), failing, 1);
  std::ranges::shuffle(fails, random);
  std::vector<std::vector<PlannedJob>> units;
  for (const char fail : fails) {
    // A line is one write, so that lines stay whole.
    units.push_back({shell(std::string("echo $KXM_WID/$KXM_ATTEMPT/$KXM_TOKEN >>ran") +
                           (fail != 0 ? "; test -e again" : ""))});
  }
  const int xid = record(std::move(units), [](Plan& plan) { plan.max_parallel = 4; });

  int killed = 0;
  bool finished = false;
  while (!finished) {
    const pid_t pid = launch(xid);
    if (killed < kills) {
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 60'000));
      ::kill(pid, SIGKILL);
      ++killed;
    }
    const int status = wait(pid);
    finished = WIFEXITED(status);
    if (finished) ASSERT_EQ(WEXITSTATUS(status), 0);
  }
  RecordProperty("kills", killed);
  EXPECT_EQ(state.count_units(xid), counts(jobs - failing, failing));

  std::map<std::string, int> expected;
  for (const UnitRow& unit : state.units(xid)) {
    for (const AttemptRow& attempt : unit.jobs.front().attempts) {
      ASSERT_TRUE(attempt.ended);
      EXPECT_NE(attempt.ended->how, End::lost);
      if (attempt.ended->how == End::not_started) continue;
      expected[std::to_string(unit.wid) + "/" + std::to_string(attempt.number) + "/" +
               attempt.token] = 1;
    }
  }
  EXPECT_EQ(expected.size(), static_cast<std::size_t>(jobs)) << "one real attempt for each";
  EXPECT_EQ(ran(), expected);

  // Resume runs exactly the failed ones again, also when it is killed.
  touch("again");
  pid_t pid = launch(xid, true);
  std::this_thread::sleep_for(std::chrono::microseconds(random() % 60'000));
  ::kill(pid, SIGKILL);
  wait(pid);
  EXPECT_EQ(wait(launch(xid, true)), 0);
  EXPECT_EQ(state.count_units(xid), counts(jobs));
  EXPECT_EQ(ran().size(), static_cast<std::size_t>(jobs + failing));
  for (auto& [line, count] : ran()) EXPECT_EQ(count, 1) << line;

  // The records alone tell the same.
  const auto before = state.count_units(xid);
  fs::remove(state_path / "state.db");
  fs::remove(state_path / "state.db-wal");
  fs::remove(state_path / "state.db-shm");
  EXPECT_EQ(State(state_path, State::Open::read).count_units(xid), before);
  EXPECT_FALSE(fs::exists(state_path / "state.db")) << "reading changes nothing";
  State rebuilt(state_path);
  EXPECT_EQ(rebuilt.count_units(xid), before);
  EXPECT_EQ(rebuilt.reserve(), xid + 1);
}

TEST_F(Kill, ASupervisorThatIsKilledLeavesTheJobAlive) {
  ASSERT_EQ(::mkfifo((folder / "go").c_str(), 0600), 0);
  const int xid =
      record({{shell("kill -KILL $PPID; echo on >>ran; read line <go; echo over >>ran")}});
  Stopper stopper;
  run(xid, {.on_event = [&](const Event&) { stopper.leave(); }, .stopper = &stopper});
  while (base::try_read_file(folder / "ran").value_or("") != "on\n") {
  }
  EXPECT_EQ(state.unit(xid, 1).state, JobState::running) << "its lock says so";
  base::File(folder / "go", O_WRONLY).write("\n");
  EXPECT_EQ(run(xid).units, counts(1));
  EXPECT_EQ(base::read_file(folder / "ran"), "on\nover\n");
}

TEST_F(Kill, ALauncherSeesHowAJobWithoutSupervisorEnds) {
  PlannedJob slow = shell("kill -KILL $PPID; exec tail -f /dev/null");
  slow.resources.seconds = 1;
  const int xid = record({{shell("kill -KILL $PPID; true")},
                          {shell("kill -KILL $PPID; exit 3")},
                          {shell("kill -KILL $PPID; kill -SEGV $$")},
                          {slow}});
  EXPECT_EQ(run(xid).units, counts(1, 3));
  EXPECT_EQ(why(xid, 2), "exit code 3");
  EXPECT_EQ(why(xid, 3), "killed by SIGSEGV");
  EXPECT_EQ(why(xid, 4), "over its time limit");
}

TEST_F(Kill, WithoutLauncherAndSupervisorAJobIsLost) {
  const int xid = record_orphan();
  EXPECT_EQ(state.unit(xid, 1).state, JobState::running);
  base::File(folder / "go", O_WRONLY).write("\n");
  EXPECT_EQ(run(xid).units, counts(0, 1));
  EXPECT_EQ(why(xid, 1),
            "lost: nobody saw how it ended: its supervisor was killed, or its record is damaged");
}

TEST_F(Kill, WithoutLauncherAndSupervisorAJobIsStopped) {
  const int xid = record_orphan();
  kxm::stop(state, xid, local, Stop::gently);
  while (state.unit(xid, 1).state == JobState::running) {
  }
  EXPECT_EQ(state.unit(xid, 1).state, JobState::stopped);
  std::vector<Event::Kind> kinds;
  const RunResult result = run(xid, {.on_event = [&](const Event& e) { kinds.push_back(e.kind); }});
  EXPECT_EQ(result.units[JobState::stopped], 1);
  // `stop` may have seen its end.
  EXPECT_THAT(kinds, testing::Each(Event::Kind::ended)) << "it does not run already";
  EXPECT_EQ(why(xid, 1), "stopped on request");
}

TEST_F(Kill, TwoExperimentsSideBySide) {
  std::vector<std::vector<PlannedJob>> units(20, {shell("true")});
  const int one = record(units), two = record(units);
  const pid_t a = launch(one), b = launch(two), c = launch(one);
  const int statuses[] = {wait(a), wait(b), wait(c)};
  EXPECT_EQ(statuses[1], 0);
  // Of two launchers of one experiment one is refused, or comes late and finds nothing to do.
  EXPECT_TRUE(statuses[0] == 0 || statuses[2] == 0);
  EXPECT_EQ(state.count_units(one), counts(20));
  EXPECT_EQ(state.count_units(two), counts(20));
  for (const UnitRow& unit : state.units(one)) EXPECT_EQ(unit.jobs.front().attempts.size(), 1u);
}

}  // namespace
}  // namespace kxm
