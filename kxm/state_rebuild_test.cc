// A state whose database is lost is rebuilt from the records beside the results, also after these
// moved.
#include <fstream>

#include "kxm/damaged.h"
#include "kxm/find_run.h"
#include "kxm/moved_impl.h"
#include "kxm/state.h"
#include "kxm/state_fixture_test.h"

namespace kxm {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class RebuiltStates : public StateTest {};

TEST_F(RebuiltStates, FromFoldersOfResults) {
  const int xid = record({{shell("true")}, {shell("exit 4")}});
  run(xid);
  fs::remove_all(state_path);
  State other(folder / "other");
  EXPECT_EQ(other.rebuild({folder / "runs"}), 1);
  EXPECT_EQ(other.count_units(xid), counts(1, 1));
  EXPECT_EQ(other.unit(xid, 2).jobs.front().why(), "exit code 4");
  EXPECT_EQ(other.reserve(), xid + 1);
}

// What no attempt shows, too: stopped before it began, not needed any more, to be run again.
TEST_F(RebuiltStates, AreTheSame) {
  PlannedJob train = shell("exit 1", "train");
  train.role = Role::train;
  PlannedJob eval = shell("exec tail -f /dev/null", "eval");
  eval.role = Role::evaluate;
  PlannedJob after = shell("true", "after");
  after.after = {"train"};
  const int xid = record({{train, eval, after},
                          {shell("true")},
                          {shell("exec tail -f /dev/null")},
                          {shell("true")},
                          {shell("true")}});
  Stopper stopper;
  run(xid, {.on_event =
                [&](const Event& event) {
                  if (event.wid == 3 && event.kind == Event::Kind::started) {
                    stopper.ask(Stop::gently);
                  }
                },
            .stopper = &stopper});
  const auto states = [&](const State& of) {
    std::vector<std::string> out;
    for (const UnitRow& unit : of.units(xid)) {
      for (const JobRow& job : unit.jobs) out.emplace_back(to_string(job.state));
    }
    return out;
  };
  const auto before = states(state);
  EXPECT_THAT(before, ElementsAre("failed", "skipped", "skipped", "finished", "stopped", "stopped",
                                  "stopped"));
  lose_database();
  EXPECT_EQ(states(State(state_path, State::Open::read)), before) << "without a launcher";
  State rebuilt(state_path);
  EXPECT_EQ(states(rebuilt), before);
  // What is resumed runs, and that counts more than what was decided before.
  EXPECT_EQ(kxm::run(rebuilt, xid, local, {.again = true, .wids = {4}}).units, counts(1));
  lose_database();
  EXPECT_EQ(State(state_path).unit(xid, 4).state, JobState::finished);
  EXPECT_EQ(State(state_path).unit(xid, 5).state, JobState::stopped);
  // A line that a crash has torn is no decision.
  std::ofstream(folder / "runs/1/.kxm/decisions.txt", std::ios::app) << "\n5 0 0 wai";
  lose_database();
  EXPECT_EQ(State(state_path).unit(xid, 5).state, JobState::stopped);
}

TEST_F(RebuiltStates, AttemptsKeepTheirTimes) {
  const int xid = record({{shell("true")}});
  run(xid);
  const double intended = state.unit(xid, 1).jobs[0].attempts[0].intended;
  lose_database();
  EXPECT_NEAR(State(state_path).unit(xid, 1).jobs[0].attempts[0].intended, intended, 1e-3);
}

TEST_F(RebuiltStates, AFolderThatWasMoved) {
  const std::string old = folder / "runs/1", now = folder / "elsewhere/my 1";
  const int xid = record({{shell("echo $0 >>ran; test -e fixed")}, {shell("true")}});
  {
    Plan more = plan(xid, {{shell("true")}}, 3);
    more.units[0].jobs[0].argv = {"/bin/sh", "-c", "echo $0 $A >>ran", old + "/3"};
    more.units[0].jobs[0].env["A"] = old + "/3:" + old + "1";
    state.record(more);
  }
  run(xid, {.wids = {1, 2}});
  fs::create_directory(folder / "elsewhere");
  fs::rename(old, now);
  EXPECT_EQ(error_of([&] { run(xid, {.again = true}); }),
            "the records of experiment 1 are not in " + old +
                "/.kxm; if its folder was moved: `kd state rebuild FOLDER`, and if it was removed: "
                "`kd rm 1`");
  EXPECT_EQ(state.unit(xid, 1).state, JobState::failed) << "looking still works";
  EXPECT_THAT(state.missing(), ElementsAre(std::pair(xid, fs::path(old) / ".kxm")));
  EXPECT_EQ(state.rebuild({folder / "elsewhere"}), 1);
  EXPECT_THAT(state.missing(), IsEmpty());
  EXPECT_EQ(state.experiment(xid)->dir, now);
  EXPECT_EQ(state.experiment(xid)->home, now + "/.kxm");
  EXPECT_EQ(state.unit(xid, 2).dir, now + "/2");
  EXPECT_EQ(state.unit(xid, 2).jobs[0].attempts[0].folder, now + "/.kxm/jobs/2/main/1");
  touch("fixed");
  EXPECT_EQ(run(xid, {.again = true}).units, counts(3));
  EXPECT_THAT(base::read_file(folder / "ran"),
              testing::EndsWith("\n" + now + "/3 " + now + "/3:" + old + "1\n"));
  EXPECT_FALSE(fs::exists(old));
  // The records know it, too.
  lose_database();
  EXPECT_EQ(State(state_path).unit(xid, 2).dir, now + "/2");
}

// Also when the whole project was moved, with the folder that jobs start in.
TEST_F(RebuiltStates, AStateThatWasMoved) {
  fs::create_directory(folder / "project");
  const int xid = record({{shell("pwd >here")}}, [&](Plan& plan) {
    plan.dir.clear();
    plan.cwd = folder / "project";
    plan.units[0].dir.clear();
    plan.units[0].jobs[0].argv.push_back(state_path / "experiments/1/store/x");
  });
  const fs::path there = folder / "new/state";
  fs::create_directory(folder / "new");
  fs::rename(state_path, there);
  fs::rename(folder / "project", folder / "new/project");
  State now(there);
  EXPECT_EQ(now.rebuild({there / "experiments"}), 1);
  EXPECT_EQ(now.unit(xid, 1).jobs[0].what.argv.back(), there / "experiments/1/store/x");
  local.machine = there.string();
  EXPECT_EQ(kxm::run(now, xid, local).units, counts(1));
  EXPECT_TRUE(fs::exists(folder / "new/project/here"));
}

TEST_F(RebuiltStates, ANumberNamesOneExperiment) {
  record({{shell("true")}});
  State other(folder / "other");
  Plan theirs = plan(other.reserve(), {{shell("true")}});
  theirs.title = "theirs";
  theirs.dir = folder / "theirs";
  other.record(theirs);
  const std::string error = error_of([&] { state.rebuild({folder / "theirs"}); });
  EXPECT_THAT(error, HasSubstr(": the number 1 belongs to 'test' in "));
  EXPECT_THAT(error, HasSubstr("KD_STATE=FOLDER kd state rebuild " + theirs.dir));
  EXPECT_EQ(state.experiment(1)->title, "test");
}

TEST_F(RebuiltStates, DamagedRecordsKeepNoOthersAway) {
  const int bad = record({{shell("true")}}), good = record({{shell("true")}});
  std::ofstream(folder / "runs/1/.kxm/experiment.json") << "{\"xid\": ";
  lose_database();
  const State rebuilt(state_path);
  EXPECT_EQ(rebuilt.experiment(bad), std::nullopt);
  EXPECT_EQ(rebuilt.count_units(good)[JobState::waiting], 1);
  EXPECT_THAT(error_of([&] { State(state_path).rebuild({folder / "runs/1"}); }),
              HasSubstr("runs/1/.kxm/experiment.json: the record is damaged: "));
}

TEST_F(RebuiltStates, DamagedExperimentsAreNamed) {
  record({{shell("true")}});
  record({{shell("true")}});
  record({{shell("true")}});
  EXPECT_THAT(damaged_texts(state), IsEmpty());
  std::ofstream(folder / "runs/1/.kxm/experiment.json") << "{\"xid\": ";
  fs::remove(folder / "runs/2/.kxm/units-1.json");
  lose_database();
  const State rebuilt(state_path);
  EXPECT_EQ(rebuilt.experiments().size(), 1u);
  EXPECT_THAT(damaged_texts(rebuilt),
              ElementsAre(AllOf(HasSubstr("experiment 1 is left out: "),
                                HasSubstr("experiment.json: the record is damaged")),
                          AllOf(HasSubstr("experiment 2 is left out: "),
                                HasSubstr("units-1.json: the record is missing"))));
  EXPECT_THAT(error_of([&] { find_experiment(rebuilt, 1); }),
              HasSubstr("experiment.json: the record is damaged"));
  EXPECT_THAT(error_of([&] { State(state_path).rebuild({folder / "runs/2"}); }),
              HasSubstr("units-1.json: the record is missing"));
}

// Of an executor whose attempts leave no record: nothing was started that could write one.
struct Refusing {
  void submit(std::span<const Attempt>) const {}
  std::vector<Seen> poll(std::span<const Attempt> attempts) const {
    const Ended ended = {.how = End::not_started, .reason = "no cluster"};
    return std::vector<Seen>(attempts.size(), {.is = Seen::Is::ended, .ended = ended});
  }
  void stop(std::span<const Attempt>, Stop) const {}
};

TEST_F(RebuiltStates, WhatCouldNotBeStartedIsRecorded) {
  const int xid = record({{shell("true")}});
  EXPECT_EQ(kxm::run(state, xid, Refusing()).units, counts(0, 1));
  State other(folder / "other");
  EXPECT_EQ(other.rebuild({folder / "runs"}), 1);
  EXPECT_EQ(other.unit(xid, 1).jobs.front().why(), "could not be started: no cluster");
}

TEST_F(RebuiltStates, AnUnknownExperimentIsNotOverwritten) {
  const int xid = record({{shell("true")}});
  State other(folder / "other");
  EXPECT_EQ(other.reserve(), xid);
  EXPECT_THAT(error_of([&] { other.record(plan(xid, {{shell("true")}})); }),
              HasSubstr("holds an experiment that this state does not know; add it with `kd state "
                        "rebuild "));
}

TEST(Moved, PathsInTexts) {
  const Move move = {"/a/runs/1", "/b/1"};
  EXPECT_EQ(moved("/a/runs/1", move), "/b/1");
  EXPECT_EQ(moved("--x=/a/runs/1/3 '/a/runs/1'", move), "--x=/b/1/3 '/b/1'");
  EXPECT_EQ(moved("[\"/a/runs/1/f\",\"/a/runs/1\"]", move), "[\"/b/1/f\",\"/b/1\"]");
  for (const char* other : {"/a/runs/12", "/a/runs/1.old", "/z/a/runs/1", "x/a/runs/1", ""}) {
    EXPECT_EQ(moved(other, move), other);
  }
  const Move longer = {"/a/1", "/a/1/a/1"};
  EXPECT_EQ(moved(moved("/a/1", longer), {"/x", "/y"}), "/a/1/a/1");
}

// What the launcher does from then on is seen by all.
TEST_F(RebuiltStates, ADatabaseThatIsRemovedUnderALauncher) {
  const int xid = record({{shell("exit 1")}, {shell("exit 2")}, {shell("true")}});
  int seen = 0;
  const auto remove_once = [&](const Event& event) {
    if (event.kind != Event::Kind::ended || ++seen != 1) return;
    lose_database();
    const State other(state_path);  // another launch makes a new one
    EXPECT_EQ(other.count_units(xid)[JobState::waiting], 2);
  };
  EXPECT_EQ(run(xid, {.on_event = remove_once}).units, counts(1, 2));
  EXPECT_EQ(seen, 3);
  const State again(state_path, State::Open::read);
  EXPECT_EQ(again.count_units(xid), counts(1, 2));
  EXPECT_EQ(again.unit(xid, 2).jobs.front().why(), "exit code 2");
}

TEST_F(RebuiltStates, AStateThatIsRemovedUnderALauncher) {
  const int xid = record({{shell("true")}, {shell("true")}});
  int seen = 0;
  const auto remove_once = [&](const Event& event) {
    if (event.kind == Event::Kind::ended && ++seen == 1) fs::remove_all(state_path);
  };
  EXPECT_EQ(run(xid, {.on_event = remove_once}).units, counts(2));
  EXPECT_EQ(State(state_path, State::Open::read).count_units(xid), counts(2));
}

// A database of a backup knows less than the records.
TEST_F(RebuiltStates, OneThatIsBehindIsSeenAsItIs) {
  const int xid = record({{shell("true")}, {shell("test -e fixed")}, {shell("true")}});
  run(xid, {.again = true, .wids = {2}});
  fs::copy(state_path, folder / "backup", fs::copy_options::recursive);
  touch("fixed");
  EXPECT_EQ(run(xid, {.again = true}).units, counts(3));
  const State behind(folder / "backup", State::Open::read);
  EXPECT_EQ(behind.count_units(xid), counts(3));
  EXPECT_EQ(behind.units(xid, {.states = {JobState::finished}}).size(), 3u);
  EXPECT_EQ(behind.unit(xid, 2).state, JobState::finished);
}

TEST_F(RebuiltStates, ADamagedDatabaseIsNotAddedTo) {
  record(std::vector<std::vector<PlannedJob>>(200, {shell("true")}));
  { State(folder / "other").rebuild({folder / "runs"}); }
  const fs::path file = folder / "other/state.db";
  const auto size = static_cast<std::streamoff>(fs::file_size(file));
  std::fstream damaged(file, std::ios::in | std::ios::out | std::ios::binary);
  damaged.seekp(size / 2);
  damaged << std::string(static_cast<std::size_t>(size / 4), 'x') << std::flush;
  State other(folder / "other");
  EXPECT_THAT(error_of([&] { other.rebuild({folder / "runs"}); }), HasSubstr("move it away"));
}

}  // namespace
}  // namespace kxm
