#include "kxm/state.h"

#include <sys/mount.h>
#include <sys/wait.h>

#include <fstream>

#include "kxm/fixture_test.h"
#include "kxm/keep.h"
#include "kxm/moved_impl.h"
#include "kxm/sqlite_impl.h"

namespace kxm {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class States : public RunTest {
 protected:
  static std::string error_of(const std::function<void()>& work) {
    try {
      work();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  }
  void lose_database() const {
    for (const char* name : {"state.db", "state.db-wal", "state.db-shm"}) {
      fs::remove(state_path / name);
    }
  }
};

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

TEST_F(States, PlansThatCannotRun) {
  const auto error = [&](std::vector<PlannedJob> jobs) {
    return error_of([&] { state.record(plan(9, {std::move(jobs)})); });
  };
  EXPECT_EQ(error({}), "unit 1: it has no jobs");
  EXPECT_EQ(error({{.name = "a"}}), "unit 1: job 'a': there is no program to run");
  EXPECT_EQ(error({shell("x"), shell("y")}), "unit 1: two jobs are called 'main'");
  PlannedJob job = shell("true", "eval");
  job.after = {"trian"};
  EXPECT_EQ(error({shell("true", "train"), job}),
            "unit 1: job 'eval': waits for a job 'trian' that its unit does not have; did you mean "
            "'train'?");
  PlannedJob other = shell("true", "train");
  other.after = {"eval"};
  job.after = {"train"};
  EXPECT_EQ(error({job, other}), "unit 1: jobs wait for each other: eval, train");
  job = shell("true");
  job.argv.emplace_back("a\0b", 3);
  EXPECT_THAT(error({job}), HasSubstr("job 'main': an argument has a zero byte"));
  for (const char* name : {"", "a/b", "..", "a\nb"}) {
    EXPECT_THAT(error({shell("true", name)}), HasSubstr("a job cannot be called so")) << name;
  }
  job = shell("true");
  job.secrets = {"KEY"};
  job.env["KEY"] = "public";
  EXPECT_THAT(error({job}), HasSubstr("'KEY' is a secret and in env_vars, too"));
  Plan twice = plan(9, {{shell("x")}, {shell("y")}});
  twice.units[1].identity = "sweep_0";
  EXPECT_EQ(error_of([&] { state.record(twice); }), "unit 2: 'sweep_0' is planned twice");
  EXPECT_FALSE(fs::exists(folder / "runs")) << "nothing was written";
  // Two experiments never share a folder.
  Plan first = plan(state.reserve(), {{shell("true")}});
  state.record(first);
  Plan second = plan(state.reserve(), {{shell("true")}});
  second.dir = first.dir;
  EXPECT_EQ(error_of([&] { state.record(second); }),
            first.dir +
                ": holds experiment 1; give each experiment a folder of its own, with {xid} "
                "in its name");
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

TEST_F(States, OtherVersions) {
  {
    Connection db(state_path / "state.db", Connection::Mode::write);
    db.exec("PRAGMA user_version = 99");
  }
  const std::string file = state_path / "state.db";
  EXPECT_EQ(
      error_of([&] { State other(state_path); }),
      file + ": written by a newer version (schema 99, this program knows 2); use that version");
  const int xid = 1;
  {
    Connection db(state_path / "state.db", Connection::Mode::write);
    db.exec("PRAGMA user_version = 2");
    record({{shell("true")}});
    db.exec("PRAGMA user_version = 0");
  }
  EXPECT_EQ(error_of([&] { State other(state_path); }),
            file + ": written by an older version (schema 0, needed 2); run `kd state upgrade`");
  EXPECT_NE(error_of([&] { State other(state_path, State::Open::read); }), "");
  State::upgrade(state_path);
  EXPECT_EQ(State(state_path).count_units(xid)[JobState::waiting], 1);
  EXPECT_TRUE(fs::exists(file + ".v0"));
}

TEST_F(States, RebuiltFromFoldersOfResults) {
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
TEST_F(States, RebuiltStatesAreTheSame) {
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

TEST_F(States, RebuiltAttemptsKeepTheirTimes) {
  const int xid = record({{shell("true")}});
  run(xid);
  const double intended = state.unit(xid, 1).jobs[0].attempts[0].intended;
  lose_database();
  EXPECT_NEAR(State(state_path).unit(xid, 1).jobs[0].attempts[0].intended, intended, 1e-3);
}

TEST_F(States, AFolderThatWasMoved) {
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
                "/.kxm; if its folder was moved: `kd state rebuild FOLDER`");
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
TEST_F(States, AStateThatWasMoved) {
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

TEST_F(States, ANumberNamesOneExperiment) {
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

TEST_F(States, DamagedRecordsKeepNoOthersAway) {
  const int bad = record({{shell("true")}}), good = record({{shell("true")}});
  std::ofstream(folder / "runs/1/.kxm/experiment.json") << "{\"xid\": ";
  lose_database();
  const State rebuilt(state_path);
  EXPECT_EQ(rebuilt.experiment(bad), std::nullopt);
  EXPECT_EQ(rebuilt.count_units(good)[JobState::waiting], 1);
  EXPECT_THAT(error_of([&] { State(state_path).rebuild({folder / "runs/1"}); }),
              HasSubstr("runs/1/.kxm/experiment.json: the record is damaged: "));
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

TEST_F(States, AnUnknownExperimentIsNotOverwritten) {
  const int xid = record({{shell("true")}});
  State other(folder / "other");
  EXPECT_EQ(other.reserve(), xid);
  EXPECT_THAT(error_of([&] { other.record(plan(xid, {{shell("true")}})); }),
              HasSubstr("holds an experiment that this state does not know; add it with `kd state "
                        "rebuild "));
}

TEST_F(States, DamagedDatabase) {
  lose_database();
  std::ofstream(state_path / "state.db") << std::string(5000, 'x');
  EXPECT_THAT(error_of([&] { State other(state_path); }),
              HasSubstr("move it away and run `kd state rebuild`"));
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

// In a child, whose mounts are its own; the reason it gives is empty if all is well.
class Mounted : public States {
 protected:
  static std::string why(const State& of, int xid, int wid) {
    return of.unit(xid, wid).jobs.front().why();
  }
  void in_child(const std::function<std::string()>& work) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      if (::unshare(CLONE_NEWNS) != 0 ||
          ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
        ::_exit(77);
      }
      const std::string problem = work();
      if (problem.empty()) ::_exit(0);
      std::cerr << problem << "\n";
      ::_exit(1);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "no right to mount";
    EXPECT_EQ(status, 0);
  }
};

TEST_F(Mounted, AFullDiskStartsNothingAndLosesNothing) {
  in_child([&]() -> std::string {
    const fs::path disk = folder / "disk";
    fs::create_directory(disk);
    if (::mount("none", disk.c_str(), "tmpfs", 0, "size=400k") != 0) ::_exit(77);
    State here(folder / "state2");
    Plan made =
        plan(here.reserve(),
             {{shell("cat /dev/zero >" + (disk / "big").string() + " 2>/dev/null; echo over >>" +
                     (folder / "ran").string() + "; exit 3")},
              {shell("true")}});
    made.dir = disk / "runs";
    for (auto& unit : made.units) unit.dir.clear();
    here.record(made);
    const std::string error = error_of([&] { kxm::run(here, made.xid, local); });
    if (error.find("No space left on device") == error.npos) return "no error: " + error;
    // The job that filled the disk has ended, and how it did is known.
    const std::string ended = why(here, made.xid, 1);
    if (!ended.starts_with("exit code 3; the disk was full")) return "unit 1: " + ended;
    if (here.unit(made.xid, 2).state != JobState::waiting) return "unit 2 was started";
    fs::remove(disk / "big");
    const auto result = kxm::run(here, made.xid, local);
    if (result.units != counts(1, 1)) return "it did not go on";
    if (base::read_file(folder / "ran") != "over\n") return "it ran twice";
    return "";
  });
}

TEST_F(Mounted, ALogThatAFullDiskCutIsKnown) {
  in_child([&]() -> std::string {
    const fs::path disk = folder / "disk";
    fs::create_directory(disk);
    if (::mount("none", disk.c_str(), "tmpfs", 0, "size=400k") != 0) ::_exit(77);
    State here(folder / "state2");
    const std::string fill = "yes | head -c 1000000; ";
    Plan made = plan(here.reserve(), {{shell("echo fine")}, {shell(fill + "exit 3")}});
    made.dir = disk / "runs";
    for (auto& unit : made.units) unit.dir.clear();
    here.record(made);
    if (kxm::run(here, made.xid, local).units != counts(1, 1)) return "they did not run";
    if (why(here, made.xid, 1) != "finished") return "the first: " + why(here, made.xid, 1);
    const std::string text = why(here, made.xid, 2);
    return text == "exit code 3; the disk was full, so its log may be cut" ? "" : text;
  });
}

// Jobs are stopped, whether or not that can be recorded.
TEST_F(Mounted, OnAFullDiskJobsAreStopped) {
  in_child([&]() -> std::string {
    const fs::path disk = folder / "disk";
    fs::create_directory(disk);
    if (::mount("none", disk.c_str(), "tmpfs", 0, "size=400k") != 0) ::_exit(77);
    State here(disk / "state");
    Plan made = plan(here.reserve(), {{shell("exec tail -f /dev/null")}, {shell("true")}});
    made.dir = disk / "runs";
    here.record(made);
    Stopper stopper;
    std::string error;
    fs::path attempt;
    error = error_of([&] {
      kxm::run(
          here, made.xid, local,
          {.on_event =
               [&](const Event& event) {
                 attempt = event.folder;
                 try {
                   base::File(disk / "big", O_WRONLY | O_CREAT).write(std::string(1 << 20, 'x'));
                 } catch (const base::FileError&) {
                 }
                 stopper.ask(Stop::gently);
               },
           .stopper = &stopper});
    });
    if (error.find("full") == error.npos && error.find("No space left") == error.npos) {
      return "no error: " + error;
    }
    while (!fs::exists(attempt / "ended.json")) {
    }
    fs::remove(disk / "big");
    const State after(disk / "state");
    const JobState first = after.unit(made.xid, 1).state;
    return first == JobState::stopped || first == JobState::failed ? "" : "it still runs";
  });
}

TEST_F(Mounted, AReadOnlyFolder) {
  const int xid = record({{shell("true")}});
  in_child([&]() -> std::string {
    const fs::path runs = folder / "runs";
    if (::mount(runs.c_str(), runs.c_str(), nullptr, MS_BIND, nullptr) != 0 ||
        ::mount(nullptr, runs.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) != 0) {
      ::_exit(77);
    }
    const std::string error = error_of([&] { run(xid); });
    if (error.find("Read-only file system") == error.npos) return "no error: " + error;
    if (state.unit(xid, 1).state != JobState::waiting) return "it was started";
    return "";
  });
}

TEST_F(Mounted, AReadOnlyStateIsRead) {
  const int xid = record({{shell("true")}});
  in_child([&]() -> std::string {
    if (::mount(state_path.c_str(), state_path.c_str(), nullptr, MS_BIND, nullptr) != 0 ||
        ::mount(nullptr, state_path.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr)) {
      ::_exit(77);
    }
    const State reader(state_path, State::Open::read);
    if (reader.count_units(xid)[JobState::waiting] != 1) return "it cannot be read";
    const std::string error = error_of([&] { State(state_path).reserve(); });
    return error.find("readonly") == error.npos ? "no error: " + error : "";
  });
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
