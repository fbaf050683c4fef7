// Plans that cannot run are refused before anything is written.
#include "kxm/check_impl.h"
#include "kxm/state_fixture_test.h"

namespace kxm {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Checks : public StateTest {};

TEST_F(Checks, PlansThatCannotRun) {
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
  EXPECT_THAT(error({shell("true", std::string(90, '%'))}), HasSubstr("with 270 letters"));
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

}  // namespace
}  // namespace kxm
