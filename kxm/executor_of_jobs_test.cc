// The executor of an experiment, which is that of all its jobs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "konfig/konfig.h"
#include "konfig/lower.h"
#include "kxm/experiments.h"
#include "kxm/kxm.h"

namespace kxm {

struct NowhereExecutor {
  std::string place = "";
  void submit(std::span<const Attempt>) const {}
  std::vector<Seen> poll(std::span<const Attempt> attempts) const {
    return std::vector<Seen>(attempts.size());
  }
  void stop(std::span<const Attempt>, Stop) const {}
};

}  // namespace kxm

KXM_COMPONENT(kxm::Executor, kxm::NowhereExecutor);

namespace kxm {
namespace {

TEST(ExecutorOfJobs, IsOneForAll) {
  const Job job{.target = "/bin/true"};
  EXPECT_FALSE(make_plan(Experiment{.jobs = {{"a", job}}}).executor);

  Plan plan =
      make_plan(Experiment{.executor = NowhereExecutor{.place = "x"}, .jobs = {{"a", job}}});
  EXPECT_EQ(plan.executor.as<NowhereExecutor>().place, "x");

  // Without a field it is given all the same.
  EXPECT_TRUE(make_plan(Experiment{.executor = NowhereExecutor(), .jobs = {{"a", job}}})
                  .executor.holds<NowhereExecutor>());

  Job own = job;
  own.executor = NowhereExecutor{.place = "y"};
  plan = make_plan(Experiment{.jobs = {{"a", own}, {"b", job}}});
  EXPECT_EQ(plan.executor.as<NowhereExecutor>().place, "y");
  Job other = own;
  other.executor = NowhereExecutor{.place = "z"};
  EXPECT_THROW(make_plan(Experiment{.jobs = {{"a", own}, {"b", other}}}), konfig::Error);
}

TEST(ExecutorOfJobs, MayBeNamed) {
  konfig::ConfigDict xp = konfig::lower(Experiment{.jobs = {{"a", Job{.target = "/bin/true"}}}});
  {
    auto unchecked = xp.ignore_type();
    xp["executor"] = "local";
  }
  EXPECT_EQ(make_plan(xp).executor_name, "local");
  std::vector<std::string> args = {"--xp=single", "--xp.target=/bin/true", "--xp.executor=local"};
  EXPECT_EQ(make_plan(load_experiment(flags::take_config_flag(args, "xp"), args)).executor_name,
            "local");
}

}  // namespace
}  // namespace kxm
