#include "kxm/launch.h"

#include <sys/stat.h>

#include <fstream>
#include <memory>
#include <thread>

#include "kxm/fixture_test.h"

namespace kxm {
namespace {

namespace fs = std::filesystem;
using konfig::Error;
using testing::ElementsAre;
using testing::HasSubstr;

using Launch = RunTest;

TEST_F(Launch, RunsAllUnits) {
  const int xid = record({{shell("echo one; echo more >&2")}, {shell("echo two")}});
  EXPECT_EQ(xid, 1);
  EXPECT_EQ(run(xid).units, counts(2));
  EXPECT_EQ(log(xid, 1), "one\nmore\n");
  EXPECT_EQ(log(xid, 2), "two\n");
  EXPECT_EQ(state.count_units(xid), counts(2));
  const UnitRow unit = state.unit(xid, 2);
  EXPECT_EQ(unit.identity, "sweep_1");
  ASSERT_EQ(unit.jobs.front().attempts.size(), 1u);
  const Ended& ended = *unit.jobs.front().attempts.front().ended;
  EXPECT_EQ(ended.how, End::finished);
  EXPECT_GT(ended.started, 1e9);
  EXPECT_GE(ended.ended, ended.started);
  EXPECT_GT(ended.peak_memory, 0);
  EXPECT_FALSE(launcher_of(*state.experiment(xid)));
}

TEST_F(Launch, TellsEndsApart) {
  PlannedJob slow = shell("exec tail -f /dev/null");
  slow.resources.seconds = 1;
  PlannedJob missing = {.name = "main", .argv = {"no-such-program"}};
  PlannedJob train = shell("true");
  train.role = Role::train;
  PlannedJob complete = shell("touch runs/1/6/train_complete.txt");
  complete.role = Role::train;
  const int xid =
      record({{shell("exit 3")}, {shell("kill -SEGV $$")}, {slow}, {missing}, {train}, {complete}},
             [](Plan& plan) { plan.max_parallel = 6; });
  EXPECT_EQ(run(xid).units, counts(1, 5));
  EXPECT_EQ(why(xid, 1), "exit code 3");
  EXPECT_EQ(why(xid, 2), "killed by SIGSEGV");
  EXPECT_EQ(why(xid, 3), "over its time limit");
  EXPECT_EQ(why(xid, 4), "could not be started: No such file or directory");
  EXPECT_EQ(why(xid, 5), "exit code 0, but train_complete.txt is missing");
  EXPECT_EQ(state.unit(xid, 6).state, JobState::finished);
}

TEST_F(Launch, ArgumentsAndEnvironmentArriveUnchanged) {
  const std::vector<std::string> odd = {
      "",  " ",      "a b",         "'", "\"",       "$HOME `x` \\",
      "%", "100%%s", "new\nline\t", "🍲", "\xff\xfe", "--k=v"};
  PlannedJob job = {.name = "main", .argv = {"/usr/bin/printf", "%s\\0"}};
  job.argv.insert(job.argv.end(), odd.begin(), odd.end());
  PlannedJob env = shell("printf '%s|' \"$ODD\" \"$KXM_XID\" \"$KXM_WID\" \"$KXM_JOB\"");
  env.env["ODD"] = "a\n'b\" \xff";
  const int xid = record({{job}, {env}});
  EXPECT_EQ(run(xid).units, counts(2));
  std::string expected;
  for (auto& text : odd) expected += text + '\0';
  EXPECT_EQ(log(xid, 1), expected);
  EXPECT_EQ(log(xid, 2), "a\n'b\" \xff|1|2|main|");
  EXPECT_EQ(state.unit(xid, 1).jobs.front().what, job);
  EXPECT_EQ(state.unit(xid, 2).jobs.front().what, env);
}

TEST_F(Launch, Retries) {
  const int xid = record({{shell("echo x >>tries; test $(wc -l <tries) = 3")}},
                         [](Plan& plan) { plan.retries = 2; });
  int retried = 0;
  EXPECT_EQ(
      run(xid, {.on_event = [&](const Event& e) { retried += e.kind == Event::Kind::retried; }})
          .units,
      counts(1));
  EXPECT_EQ(retried, 2);
  EXPECT_EQ(state.unit(xid, 1).jobs.front().attempts.size(), 3u);
}

TEST_F(Launch, ResumeRerunsExactlyTheFailed) {
  const std::string script = "echo $KXM_WID >>ran; test -e fixed";
  const int xid = record({{shell("echo $KXM_WID >>ran")}, {shell(script)}, {shell(script)}});
  EXPECT_EQ(run(xid).units, counts(1, 2));
  EXPECT_EQ(run(xid).units, counts(1, 2)) << "nothing is left to do";
  touch("fixed");
  EXPECT_EQ(run(xid, {.again = true, .wids = {3}}).units, counts(1));
  EXPECT_EQ(run(xid, {.again = true}).units, counts(3));
  EXPECT_EQ(base::read_file(folder / "ran"), "1\n2\n3\n3\n2\n");
}

TEST_F(Launch, OrderWithinAUnit) {
  PlannedJob first = shell("echo first >>order", "first");
  PlannedJob then = shell("echo then >>order", "then");
  then.after = {"first"};
  PlannedJob bad = shell("exit 1", "bad");
  PlannedJob never = shell("echo never >>order", "never");
  never.after = {"bad"};
  const int xid = record({{then, first}, {never, bad}});
  EXPECT_EQ(run(xid).units, counts(1, 1));
  EXPECT_EQ(base::read_file(folder / "order"), "first\nthen\n");
  EXPECT_EQ(state.unit(xid, 2).jobs.front().state, JobState::skipped);
}

TEST_F(Launch, EvaluatorsEndWithAFailedTraining) {
  PlannedJob train = shell("while ! test -e waits; do :; done; exit 1", "train");
  train.role = Role::train;
  PlannedJob eval = shell("echo >waits; exec tail -f /dev/null", "eval");
  eval.role = Role::evaluate;
  const int xid = record({{eval, train}});
  EXPECT_EQ(run(xid).units, counts(0, 1));
  const UnitRow unit = state.unit(xid, 1);
  EXPECT_EQ(unit.jobs[0].state, JobState::skipped);
  EXPECT_EQ(unit.jobs[0].why(), "stopped: the training of its unit failed");
  EXPECT_EQ(unit.jobs[1].state, JobState::failed);
}

TEST_F(Launch, FailFastStopsTheRest) {
  const int xid = record({{shell("while ! test -e runs/1/2/on; do :; done; exit 1")},
                          {shell("touch runs/1/2/on; exec tail -f /dev/null")},
                          {shell("true")}},
                         [](Plan& plan) {
                           plan.max_parallel = 2;
                           plan.fail_fast = true;
                         });
  const RunResult result = run(xid);
  EXPECT_FALSE(result.stopped);
  EXPECT_EQ(result.units[JobState::failed], 1);
  EXPECT_EQ(result.units[JobState::stopped], 2);
}

TEST_F(Launch, FailFastReachesWhatIsBehindAFailure) {
  const auto fail_fast = [](Plan& plan) { plan.fail_fast = true; };
  const int xid =
      record({{shell("exit 1")}, {shell("exit 1")}, {shell("true")}, {shell("true")}}, fail_fast);
  run(xid);
  EXPECT_EQ(run(xid, {.again = true}).units[JobState::finished], 0);  // the second one failed
  EXPECT_EQ(run(xid, {.again = true}).units[JobState::finished], 2);
}

// Both at once would stop the good one each time.
TEST_F(Launch, FailFastRunsAFailureOnlyAfterTheOthers) {
  const int xid = record({{shell("while ! test -e runs/1/2/on; do :; done; exit 1")},
                          {shell("test -e runs/1/2/on && exit 0; touch runs/1/2/on; "
                                 "exec tail -f /dev/null")}},
                         [](Plan& plan) {
                           plan.max_parallel = 2;
                           plan.fail_fast = true;
                         });
  EXPECT_EQ(run(xid).units[JobState::stopped], 1);
  std::vector<int> started;
  const RunResult again = run(xid, {.again = true, .on_event = [&](const Event& event) {
                                      if (event.kind == Event::Kind::started) {
                                        started.push_back(event.wid);
                                      }
                                    }});
  EXPECT_THAT(started, testing::ElementsAre(2, 1));
  EXPECT_EQ(again.units, counts(1, 1));
}

TEST_F(Launch, WhatIsNotStartedAgainStaysFailed) {
  const int xid =
      record({{shell("exit 7")}, {shell("exit 8")}}, [](Plan& plan) { plan.max_parallel = 2; });
  EXPECT_EQ(run(xid).units, counts(0, 2));
  Stopper stopper;
  stopper.ask(Stop::gently);
  EXPECT_EQ(run(xid, {.again = true, .stopper = &stopper}).units, counts(0, 2));
  EXPECT_EQ(why(xid, 1), "exit code 7");
  EXPECT_EQ(state.unit(xid, 1).jobs.front().attempts.size(), 1u);
  const State other(folder / "other");
  EXPECT_EQ(State(folder / "other").rebuild({folder / "runs"}), 1);
  EXPECT_EQ(other.count_units(xid), counts(0, 2));
}

TEST_F(Launch, StopsOnRequestAndGoesOn) {
  Stopper stopper;
  const int xid = record({{shell("test -e saved && exit 0; trap 'touch saved; exit 143' TERM; "
                                 "echo ready; while :; do sleep 0.01; done")},
                          {shell("true")}});
  const auto result = run(xid, {.on_event =
                                    [&](const Event& event) {
                                      if (event.kind != Event::Kind::started) return;
                                      // Until it catches the signal.
                                      const fs::path log = fs::path(event.folder) / "log.txt";
                                      while (base::try_read_file(log).value_or("") != "ready\n") {
                                      }
                                      stopper.ask(Stop::gently);
                                    },
                                .stopper = &stopper});
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.units[JobState::stopped], 2);
  EXPECT_TRUE(fs::exists(folder / "saved"));
  EXPECT_EQ(why(xid, 1), "stopped on request");
  EXPECT_EQ(run(xid, {.again = true}).units, counts(2));
}

TEST_F(Launch, KillsAtOnce) {
  Stopper stopper;
  const int xid = record({{shell("trap '' TERM; while :; do sleep 0.01; done")}});
  const auto result = run(xid, {.on_event =
                                    [&](const Event& event) {
                                      if (event.kind == Event::Kind::started)
                                        stopper.ask(Stop::now);
                                    },
                                .stopper = &stopper});
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.units[JobState::stopped], 1);
}

TEST_F(Launch, LeavesAndAdopts) {
  ASSERT_EQ(::mkfifo((folder / "go").c_str(), 0600), 0);
  const int xid = record({{shell("echo begun; read line <go")}});
  Stopper stopper;
  const auto left =
      run(xid, {.on_event = [&](const Event&) { stopper.leave(); }, .stopper = &stopper});
  EXPECT_TRUE(left.left);
  EXPECT_EQ(left.units[JobState::running], 1);
  EXPECT_EQ(state.unit(xid, 1).state, JobState::running);
  std::vector<Event::Kind> kinds;
  const auto done = run(xid, {.on_event = [&](const Event& event) {
                          kinds.push_back(event.kind);
                          if (event.kind == Event::Kind::adopted)
                            base::File(folder / "go", O_WRONLY).write("\n");
                        }});
  EXPECT_EQ(done.units, counts(1));
  EXPECT_THAT(kinds, ElementsAre(Event::Kind::adopted, Event::Kind::ended));
  EXPECT_EQ(log(xid, 1), "begun\n");
}

TEST_F(Launch, ResumesWhatFailedWhileNobodyLooked) {
  ASSERT_EQ(::mkfifo((folder / "go").c_str(), 0600), 0);
  const int xid = record({{shell("test -e fixed && exit 0; read line <go; exit 3")}});
  Stopper stopper;
  run(xid, {.on_event = [&](const Event&) { stopper.leave(); }, .stopper = &stopper});
  base::File(folder / "go", O_WRONLY).write("\n");
  while (state.unit(xid, 1).state == JobState::running) std::this_thread::yield();
  EXPECT_EQ(why(xid, 1), "exit code 3");
  base::File(folder / "fixed", O_WRONLY | O_CREAT).sync();
  EXPECT_EQ(run(xid, {.again = true}).units, counts(1));
}

TEST_F(Launch, ASecondLauncherIsRefused) {
  const int xid = record({{shell("true")}});
  std::string error;
  run(xid, {.on_event = [&](const Event& event) {
        if (event.kind != Event::Kind::started) return;
        State other(state_path);
        try {
          kxm::run(other, xid, local);
        } catch (const Error& e) {
          error = e.what();
        }
      }});
  EXPECT_THAT(error, HasSubstr("experiment 1: process " + std::to_string(::getpid()) + " on "));
  EXPECT_THAT(error, HasSubstr("runs it already; watch it with `kd status 1`"));
}

TEST_F(Launch, ResumeRunsWhatFailedWithoutALauncher) {
  ASSERT_EQ(::mkfifo((folder / "go").c_str(), 0600), 0);
  const int xid = record({{shell("echo x >>ran; test -e fixed || { read line <go; exit 3; }")}});
  Stopper stopper;
  run(xid, {.on_event = [&](const Event&) { stopper.leave(); }, .stopper = &stopper});
  base::File(folder / "go", O_WRONLY).write("\n");
  while (state.unit(xid, 1).state == JobState::running) std::this_thread::yield();
  EXPECT_EQ(state.unit(xid, 1).state, JobState::failed);
  touch("fixed");
  std::vector<Event::Kind> kinds;
  const auto note = [&](const Event& event) { kinds.push_back(event.kind); };
  EXPECT_EQ(run(xid, {.again = true, .on_event = note}).units, counts(1));
  EXPECT_THAT(kinds, ElementsAre(Event::Kind::retried, Event::Kind::started, Event::Kind::ended));
  EXPECT_EQ(base::read_file(folder / "ran"), "x\nx\n");
}

TEST_F(Launch, WithoutItsRecordsALauncherEnds) {
  const int xid = record({{shell("true")}, {shell("true")}});
  const auto lose = [&](const Event& event) {
    if (event.kind == Event::Kind::ended) fs::remove_all(folder / "runs");
  };
  try {
    run(xid, {.on_event = lose});
    FAIL() << "it went on";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the records of experiment 1 are gone from "));
  }
  state.remove(xid);
  EXPECT_FALSE(state.experiment(xid));
}

TEST_F(Launch, StopFromOutside) {
  const int xid = record({{shell("exec tail -f /dev/null")}, {shell("exec tail -f /dev/null")}});
  const auto result = run(xid, {.on_event = [&](const Event& event) {
                            if (event.kind != Event::Kind::started) return;
                            State other(state_path);
                            kxm::stop(other, xid, local, Stop::gently, {event.wid});
                          }});
  EXPECT_EQ(result.units[JobState::stopped], 2);
  // Without a launcher it is done here.
  const int second = record({{shell("exec tail -f /dev/null")}, {shell("true")}});
  Stopper stopper;
  run(second, {.on_event = [&](const Event&) { stopper.leave(); }, .stopper = &stopper});
  kxm::stop(state, second, local, Stop::gently);
  EXPECT_EQ(state.unit(second, 2).state, JobState::stopped);
  while (state.unit(second, 1).state == JobState::running) {
  }
  EXPECT_EQ(state.unit(second, 1).state, JobState::stopped);
}

TEST_F(Launch, SecretsArePassedOnAndNeverStored) {
  PlannedJob job = shell("test ${#KXM_TEST_SECRET} = 9");
  job.secrets = {"KXM_TEST_SECRET"};
  const int xid = record({{job}});
  ::unsetenv("KXM_TEST_SECRET");
  EXPECT_THROW(run(xid), Error);
  EXPECT_EQ(state.unit(xid, 1).state, JobState::waiting);
  ::setenv("KXM_TEST_SECRET", "swordfish", 1);
  EXPECT_EQ(run(xid).units, counts(1));
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
    if (!entry.is_regular_file()) continue;
    EXPECT_EQ(base::read_file(entry.path()).find("swordfish"), std::string::npos) << entry.path();
  }
  ::unsetenv("KXM_TEST_SECRET");
}

// Whoever adds a unit may have a secret that its launcher has not.
TEST_F(Launch, AddedWithoutTheirSecretUnitsAreLeftAlone) {
  ::unsetenv("KXM_TEST_SECRET");
  PlannedJob job = shell("test ${#KXM_TEST_SECRET} = 9");
  job.secrets = {"KXM_TEST_SECRET"};
  const int xid = record({{shell("true")}});
  std::string said;
  const auto result = run(xid, {.on_event = [&](const Event& event) {
                            said += event.text;
                            if (event.kind == Event::Kind::ended && event.wid == 1) {
                              state.record(plan(xid, {{job}}, 2));
                            }
                          }});
  EXPECT_EQ(result.units[JobState::stopped], 1);
  EXPECT_EQ(said,
            "unit 2: left alone: the environment variable KXM_TEST_SECRET is not set here; export "
            "it, then `kd resume 1/2`");
  ::setenv("KXM_TEST_SECRET", "swordfish", 1);
  EXPECT_EQ(run(xid, {.again = true}).units, counts(2));
  ::unsetenv("KXM_TEST_SECRET");
}

TEST_F(Launch, UnitsAreAddedAndStoppedMeanwhile) {
  // As a search does: the end of one unit decides on the next.
  const int xid = record({{shell("true")}});
  const auto result =
      run(xid, {.on_event = [&](const Event& event) {
            if (event.kind == Event::Kind::ended && event.wid == 1) {
              state.record(plan(xid, {{shell("exec tail -f /dev/null")}, {shell("true")}}, 2));
            }
            if (event.kind == Event::Kind::started && event.wid == 2) {
              kxm::stop(state, xid, local, Stop::gently, {2});
            }
          }});
  EXPECT_FALSE(result.stopped);
  EXPECT_EQ(result.units[JobState::finished], 2);
  EXPECT_EQ(result.units[JobState::stopped], 1);
}

TEST_F(Launch, AnIntentWithoutAStartNeverRan) {
  const int xid = record({{shell("echo ran >>ran")}});
  const fs::path attempt = folder / "runs/1/.kxm/jobs/1/main/1";
  fs::create_directories(attempt);
  std::ofstream(attempt / "intent.json")
      << R"({"xid": 1, "wid": 1, "job": "main", "number": 1, "token": "abc"})";
  EXPECT_EQ(run(xid).units, counts(1));
  const auto attempts = state.unit(xid, 1).jobs.front().attempts;
  ASSERT_EQ(attempts.size(), 2u);
  EXPECT_EQ(attempts[0].token, "abc");
  EXPECT_EQ(attempts[0].ended->how, End::not_started);
  EXPECT_EQ(attempts[1].ended->how, End::finished);
  EXPECT_EQ(base::read_file(folder / "ran"), "ran\n");
}

TEST_F(Launch, RecordsThatAreGoneMeanLost) {
  const int xid = record({{shell("exec tail -f /dev/null")}});
  Stopper stopper;
  run(xid, {.on_event = [&](const Event&) { stopper.leave(); }, .stopper = &stopper});
  kxm::stop(state, xid, local, Stop::now);
  // Its supervisor reads the request to stop from the records: with them gone, it would go on.
  while (state.unit(xid, 1).state == JobState::running) std::this_thread::yield();
  fs::remove_all(folder / "runs/1/.kxm/jobs");
  EXPECT_EQ(state.unit(xid, 1).state, JobState::failed);
  fs::rename(folder / "runs", folder / "elsewhere");
  EXPECT_EQ(state.unit(xid, 1).state, JobState::running) << "a disk that is away is no answer";
}

// An executor with a queue of its own: jobs end in the order in which somebody says so.
struct Board {
  std::shared_ptr<std::vector<std::string>> taken = std::make_shared<std::vector<std::string>>();

  void submit(std::span<const Attempt> attempts) const {
    for (auto& attempt : attempts) taken->push_back(std::to_string(attempt.wid));
  }
  std::vector<Seen> poll(std::span<const Attempt> attempts) const {
    std::vector<Seen> out;
    for (auto& attempt : attempts) {
      out.push_back({Seen::Is::ended, Ended{.how = attempt.wid == 2 ? End::lost : End::finished}});
    }
    return out;
  }
  void wait(std::span<const Attempt>, int) const {}
  void stop(std::span<const Attempt> attempts, Stop how) const {
    for (auto& attempt : attempts) taken->push_back(attempt.job + (how == Stop::now ? "!" : "?"));
  }
};

TEST_F(Launch, AnExecutorOfOnesOwn) {
  const Board board;
  const int xid = record({{shell("")}, {shell("")}, {shell("")}}, [](Plan& p) { p.retries = 1; });
  EXPECT_EQ(kxm::run(state, xid, board).units, counts(2, 1));
  EXPECT_THAT(*board.taken, ElementsAre("1", "2", "3", "2")) << "all at once, then the retry";
}

// The folder of the records is moved while the job runs, and nobody rebuilds the state.
TEST_F(Launch, TheEndOfAJobIsNotedInAFolderThatMoved) {
  const int xid = record({{shell("mv runs/1 moved; exit 4")}});
  EXPECT_THROW(run(xid), Error);
  for (int i = 0; i < 1000 && !fs::exists(folder / "moved/.kxm/jobs/1/main/1/ended.json"); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  state.rebuild({folder / "moved"});
  EXPECT_EQ(why(xid, 1), "exit code 4");
}

TEST_F(Launch, WhyAJobWasStoppedIsSaid) {
  const std::string endless = "exec tail -f /dev/null";
  int xid = record({{shell(endless)}, {shell("exit 7")}}, [](Plan& plan) {
    plan.fail_fast = true;
    plan.max_parallel = 2;
  });
  run(xid);
  EXPECT_EQ(why(xid, 1), "stopped: 1/2/main failed");
  xid = record({{shell(endless)}});
  Stopper stopper;
  run(xid, {.on_event =
                [&](const Event& event) {
                  if (event.kind == Event::Kind::started) stopper.ask(Stop::now);
                },
            .stopper = &stopper});
  EXPECT_EQ(why(xid, 1), "killed on request");
}

}  // namespace
}  // namespace kxm
