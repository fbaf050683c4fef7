#include "kxm/state.h"

#include <fstream>

#include "kxm/keep.h"
#include "kxm/state_fixture_test.h"

namespace kxm {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class States : public StateTest {};

TEST(StateFolder, ComesFromTheEnvironment) {
  const std::string home = std::getenv("HOME");
  ::setenv("KD_STATE", "/a", 1);
  EXPECT_EQ(state_folder(), "/a");
  ::unsetenv("KD_STATE");
  ::setenv("XDG_STATE_HOME", "/b", 1);
  EXPECT_EQ(state_folder(), "/b/kauldron");
  ::setenv("XDG_STATE_HOME", "relative", 1);
  EXPECT_EQ(state_folder(), home + "/.local/state/kauldron");
  ::unsetenv("XDG_STATE_HOME");
  EXPECT_EQ(state_folder(), home + "/.local/state/kauldron");
}

TEST_F(States, NumbersAreNeverGivenTwice) {
  EXPECT_EQ(state.reserve(), 1);
  EXPECT_EQ(State(state_path).reserve(), 2);
  const int xid = record({{shell("true")}});
  EXPECT_EQ(xid, 3);
  state.remove(xid);
  EXPECT_EQ(state.next_xid(), 4);
  EXPECT_EQ(state.reserve(), 4);
  EXPECT_EQ(state.experiment(xid), std::nullopt);
}

TEST_F(States, WhatWasRecordedIsRead) {
  PlannedJob job = shell("true", "train");
  job.role = Role::train;
  job.env = {{"A", "1"}, {"B", "two words"}};
  job.secrets = {"KEY"};
  job.resources = {.cpus = 1.5,
                   .memory = 1 << 30,
                   .gpus = 2,
                   .gpu_type = "a100",
                   .seconds = 60,
                   .place = "big",
                   .container = "image.sif"};
  PlannedJob eval = shell("true", "eval");
  eval.role = Role::evaluate;
  eval.after = {"train"};
  Plan made = plan(state.reserve(), {{job, eval}});
  made.title = "autoencoder";
  made.author = "me";
  made.note = "first try";
  made.tags = {"a", "b"};
  made.texts = {{"kxm.Experiment", "Experiment()"}};
  std::ofstream(folder / "config.py") << "x = 1\n";
  made.files = {{"config.py", folder / "config.py"}};
  made.max_parallel = 3;
  made.retries = 2;
  made.fail_fast = true;
  state.record(made);

  const State reader(state_path, State::Open::read);
  const auto row = *reader.experiment(made.xid);
  EXPECT_EQ(row.title, "autoencoder");
  EXPECT_EQ(row.author, "me");
  EXPECT_EQ(row.note, "first try");
  EXPECT_THAT(row.tags, ElementsAre("a", "b"));
  EXPECT_EQ(row.dir, made.dir);
  EXPECT_EQ(row.home, made.dir + "/.kxm");
  EXPECT_EQ(row.executor, "local");
  EXPECT_EQ(row.units[JobState::waiting], 1);
  const UnitRow unit = reader.unit(made.xid, 1);
  EXPECT_EQ(unit.args.at("seed"), konfig::Value(1));
  EXPECT_EQ(unit.dir, made.dir + "/1");
  ASSERT_EQ(unit.jobs.size(), 2u);
  EXPECT_EQ(unit.jobs[0].what, job);
  EXPECT_EQ(unit.jobs[1].what, eval);
  const Plan heading = reader.plan(made.xid);
  EXPECT_EQ(heading.texts, made.texts);
  EXPECT_EQ(heading.files.front().source, folder / "config.py");
  std::ofstream(folder / "config.py") << "x = 2\n";
  const Snapshot kept(fs::path(row.home) / kStore, made.files);
  EXPECT_FALSE(fs::exists(kept.folder())) << "of what it is now";
  std::ofstream(folder / "config.py") << "x = 1\n";
  EXPECT_EQ(base::read_file(Snapshot(fs::path(row.home) / kStore, made.files).path("config.py")),
            "x = 1\n");
  EXPECT_EQ(heading.max_parallel, 3);
  EXPECT_EQ(heading.retries, 2);
  EXPECT_TRUE(heading.fail_fast);

  // The same from the records alone.
  lose_database();
  const State rebuilt(state_path, State::Open::read);
  EXPECT_EQ(rebuilt.unit(made.xid, 1).jobs[0].what, job);
  EXPECT_EQ(rebuilt.unit(made.xid, 1).jobs[1].what, eval);
  EXPECT_EQ(rebuilt.plan(made.xid).texts, made.texts);
}

TEST_F(States, UnitsAreAdded) {
  const int xid = record({{shell("true")}, {shell("true")}});
  EXPECT_EQ(state.next_wid(xid), 3);
  EXPECT_EQ(run(xid).units, counts(2));
  state.record(plan(xid, {{shell("true")}}, 3));
  EXPECT_EQ(state.count_units(xid)[JobState::waiting], 1);
  EXPECT_EQ(run(xid).units, counts(3));
  EXPECT_THAT(error_of([&] { state.record(plan(xid, {{shell("true")}}, 7)); }),
              HasSubstr("unit 7 cannot follow unit 3; use consecutive ids"));
  Plan twice = plan(xid, {{shell("true")}}, 4);
  twice.units[0].identity = "sweep_0";
  EXPECT_EQ(
      error_of([&] { state.record(twice); }),
      "experiment 1: 'sweep_0' is its unit 1 already; resume it, or give the new unit another "
      "identity");
  EXPECT_EQ(state.count_units(xid), counts(3));
}

TEST_F(States, Filters) {
  const int xid = record({{shell("true")}, {shell("exit 1")}, {shell("true")}, {shell("exit 1")}});
  run(xid);
  const auto wids = [&](const UnitFilter& filter) {
    std::vector<int> out;
    for (const UnitRow& unit : state.units(xid, filter)) out.push_back(unit.wid);
    return out;
  };
  EXPECT_THAT(wids({}), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(wids({.states = {JobState::failed}}), ElementsAre(2, 4));
  EXPECT_THAT(wids({.limit = 2}), ElementsAre(1, 2));
  EXPECT_THAT(wids({.wids = {4, 1}}), ElementsAre(4, 1));
  EXPECT_THAT(wids({.wids = {9}}), IsEmpty());
  EXPECT_EQ(error_of([&] { state.unit(xid, 9); }), "experiment 1 has no unit 9; it has 1 to 4");
  EXPECT_EQ(error_of([&] { state.unit(8, 1); }), "there is no experiment 8");
}

TEST_F(States, AStateThatIsNotThereIsEmpty) {
  const State none(folder / "none", State::Open::read);
  EXPECT_THAT(none.experiments(), IsEmpty());
  EXPECT_EQ(none.experiment(1), std::nullopt);
  EXPECT_FALSE(fs::exists(folder / "none"));
}

TEST_F(States, NotesAndTags) {
  const int xid = record({{shell("true")}});
  state.note(xid, "title", "note", {"x"});
  EXPECT_EQ(state.experiment(xid)->title, "title");
  lose_database();
  EXPECT_EQ(State(state_path).experiment(xid)->note, "note");
}

TEST_F(States, RunningExperimentsAreNotRemoved) {
  const int xid = record({{shell("true")}});
  std::string error;
  run(xid, {.on_event = [&](const Event& event) {
        if (event.kind == Event::Kind::started) error = error_of([&] { state.remove(xid); });
      }});
  EXPECT_EQ(error, "experiment 1: a launcher runs it; stop it first: `kd stop 1`");
  state.remove(xid);
  EXPECT_FALSE(fs::exists(folder / "runs/1/.kxm"));
  EXPECT_TRUE(fs::exists(folder / "runs/1"));
}

TEST_F(States, TenThousandUnits) {
  std::vector<std::vector<PlannedJob>> units(10'000,
                                             {shell("true", "train"), shell("true", "eval")});
  const Plan made = plan(state.reserve(), units);
  state.record(made);
  EXPECT_EQ(state.count_units(made.xid)[JobState::waiting], 10'000);
  EXPECT_EQ(state.units(made.xid, {.limit = 3}).size(), 3u);
}

}  // namespace
}  // namespace kxm
