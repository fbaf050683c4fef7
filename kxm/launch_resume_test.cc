// `resume` beside the launcher of an experiment.
#include "kxm/fixture_test.h"

namespace kxm {
namespace {

namespace fs = std::filesystem;

using Resumed = RunTest;

TEST_F(Resumed, BesideItsLauncher) {
  const int xid = record({{shell("echo $KXM_WID >>ran; test -e fixed")}, {shell("true")}});
  const ExperimentRow row = *state.experiment(xid);
  EXPECT_FALSE(ask_to_resume(row)) << "nobody would";
  const auto ask = [&](const Event& event) {
    if (event.kind != Event::Kind::ended || event.wid != 1) return;
    touch("fixed");
    EXPECT_TRUE(ask_to_resume(row, {1}));
  };
  EXPECT_EQ(run(xid, {.on_event = ask}).units, counts(2));
  EXPECT_EQ(base::read_file(folder / "ran"), "1\n1\n");
}

// What is being stopped runs again once it has ended.
TEST_F(Resumed, AtOnceAfterAStop) {
  const std::string script =
      "test -e again$KXM_WID || { touch again$KXM_WID; exec tail -f /dev/null; }";
  for (const std::vector<int>& wids : {std::vector<int>(), {1}}) {
    const int xid = record({{shell(script)}, {shell("true")}});
    const auto ask = [&](const Event& event) {
      if (event.kind != Event::Kind::started || event.wid != 1 || event.attempt != 1) return;
      while (!fs::exists(folder / "again1")) {
      }
      State other(state_path);
      kxm::stop(other, xid, local, Stop::gently, wids);
      EXPECT_TRUE(ask_to_resume(*state.experiment(xid), wids));
    };
    const auto result = run(xid, {.on_event = ask});
    EXPECT_EQ(result.units, counts(2));
    EXPECT_FALSE(result.stopped);
    EXPECT_EQ(state.unit(xid, 1).jobs[0].attempts.size(), 2u);
    fs::remove(folder / "again1");
  }
}

// One that was told to end leaves it to the next.
TEST_F(Resumed, BesideALauncherThatEnds) {
  const int xid = record({{shell("exec tail -f /dev/null")}});
  Stopper stopper;
  const auto ask = [&](const Event& event) {
    if (event.kind != Event::Kind::started) return;
    stopper.ask(Stop::now);
    EXPECT_TRUE(ask_to_resume(*state.experiment(xid)));
  };
  EXPECT_TRUE(run(xid, {.on_event = ask, .stopper = &stopper}).stopped);
  EXPECT_FALSE(await_taken(*state.experiment(xid)));
}

TEST_F(Resumed, AsTheLauncherEnds) {
  const int xid = record({{shell("test -e fixed")}});
  const auto ask = [&](const Event& event) {
    if (event.state != JobState::failed) return;
    touch("fixed");
    ask_to_resume(*state.experiment(xid));
  };
  EXPECT_EQ(run(xid, {.on_event = ask}).units, counts(1));
}

}  // namespace
}  // namespace kxm
