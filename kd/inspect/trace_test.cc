// Traces: which steps they hold, and that they are JSON with libtorch's operations.
#include "kd/inspect/trace.h"

#include <ATen/ops/ones.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/temp_folder.h"
#include "kd/core/durable.h"
#include "kd/core/tree.h"
#include "konfig/json.h"

namespace kd::inspect {
namespace {

namespace fs = std::filesystem;
using konfig::Dict;
using ::testing::ElementsAre;
using ::testing::IsSupersetOf;

class Traces : public ::testing::Test {
 protected:
  // The names of the files after so many steps.
  std::set<std::string> run(const Poly<ProfilerFn>& options, int steps) const {
    Tracer tracer(options, workdir_);
    for (int i = 0; i < steps; ++i) {
      const Tensor x = at::ones({8, 8});
      x.matmul(x);
      tracer.step(i);
    }
    std::set<std::string> out;
    if (!fs::exists(workdir_ / "profile")) return out;
    for (auto& entry : fs::directory_iterator(workdir_ / "profile")) {
      out.insert(entry.path().filename().string());
    }
    return out;
  }
  base::TempFolder temp_{"kd_trace_"};
  fs::path workdir_ = temp_.path();
};

TEST_F(Traces, HoldTheSteps) {
  Profiler options{.num_profile_steps = 2, .profile_duration_ms = 0, .first_profile = 1};
  EXPECT_THAT(run(options, 8), ElementsAre("steps_2_3.json"));
  const konfig::Value trace = konfig::parse_json(read_file(workdir_ / "profile/steps_2_3.json"));
  std::multiset<std::string> names;
  for (const konfig::Value& event : trace.as<Dict>().at("traceEvents").as<konfig::List>()) {
    names.insert(event.as<Dict>().at("name").as<std::string>());
  }
  EXPECT_THAT(names, IsSupersetOf({"step 2", "step 3", "aten::matmul", "aten::matmul"}));
  EXPECT_EQ(names.count("aten::matmul"), 2u);
}

TEST_F(Traces, ComeAgain) {
  EXPECT_THAT(run(Profiler{.num_profile_steps = 1,
                           .profile_duration_ms = 0,
                           .first_profile = 0,
                           .every_steps = 4},
                  9),
              ElementsAre("steps_1_1.json", "steps_5_5.json"));
  fs::remove_all(workdir_ / "profile");
  // At multiples, whatever came first.
  const Profiler later{
      .num_profile_steps = 1, .profile_duration_ms = 0, .first_profile = {}, .every_steps = 3};
  EXPECT_THAT(run(later, 8), ElementsAre("steps_1_1.json", "steps_4_4.json", "steps_7_7.json"));
}

TEST_F(Traces, InAFolderOfTheirOwn) {
  Profiler elsewhere{.num_profile_steps = 1, .profile_duration_ms = 0, .first_profile = 0};
  elsewhere.workdir = std::optional((workdir_ / "other").string());
  EXPECT_TRUE(run(elsewhere, 3).empty());
  EXPECT_TRUE(fs::exists(workdir_ / "other/profile/steps_1_1.json"));
}

TEST_F(Traces, NoneWithoutOptions) {
  EXPECT_TRUE(run({}, 20).empty());
  EXPECT_TRUE(run(NoopProfiler{}, 20).empty());
  // A trace that is too short yet is not written.
  EXPECT_TRUE(run(Profiler{.profile_duration_ms = 1000000}, 20).empty());
}

}  // namespace
}  // namespace kd::inspect
