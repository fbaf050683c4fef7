// The examples in the headers of the running half.
#include <cstdlib>
#include <iostream>

#include "kxm/fixture_test.h"
#include "kxm/keep.h"

namespace kxm {
namespace {

class HeadersOfRuns : public RunTest {
 protected:
  void SetUp() override { ::setenv("KD_STATE", state_path.c_str(), 1); }
  void TearDown() override { ::unsetenv("KD_STATE"); }
};

TEST_F(HeadersOfRuns, StateAndLaunch) {
  Plan plan = this->plan(0, {{shell("echo hello")}});
  testing::internal::CaptureStdout();
  {
    State state(state_folder());
    plan.xid = state.reserve();
    state.record(plan);
    for (const UnitRow& unit : state.units(plan.xid)) std::cout << unit.wid << "\n";
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "1\n");
  const int xid = plan.xid;
  int shown = 0;
  const auto show = [&](const Event&) { ++shown; };
  using kxm::run;
  State state(state_folder());
  const RunResult result = run(state, xid, Local{}, {.on_event = show});
  if (result.units[JobState::failed] > 0) std::cerr << "some failed\n";
  EXPECT_EQ(result.units, counts(1));
  EXPECT_EQ(shown, 2);
}

TEST_F(HeadersOfRuns, Locals) {
  const Plan plan = this->plan(1, {{shell("true")}});
  const Local local;
  local.check(plan.units.front().jobs);  // an Error if the machine is too small
}

TEST_F(HeadersOfRuns, KeepsFiles) {
  const std::filesystem::path home = folder / "home";
  Plan plan;
  base::File(folder / "config.py", O_WRONLY | O_CREAT).write("x = 1\n");
  plan.files = {{"config.py", folder / "config.py"}};
  std::vector<std::string> argv;
  const Snapshot kept(home / "store", plan.files);  // reads the files, writes nothing
  argv.push_back(kept.path("config.py"));           // where jobs will find it
  kept.write();
  EXPECT_EQ(base::read_file(argv.front()), "x = 1\n");
}

}  // namespace
}  // namespace kxm
