// Plans with a user's own sweeps, jobs and orchestrators.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "konfig/expect_test.h"
#include "konfig/implement.h"
#include "konfig/register.h"
#include "kxm/executor.h"
#include "kxm/make_plan_test.h"
#include "kxm/proxies.h"

namespace kxm {

using konfig::ConfigDict;
using konfig::Dict;
using konfig::error_of;
using konfig::List;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

struct Seeds {
  int count = 3;
  std::vector<Dict> points() const {
    std::vector<Dict> out;
    for (int i = 0; i < count; ++i) out.push_back({{"seed", i}});
    return out;
  }
};
struct Ordered {
  void plan(Orchestration& all) const {
    for (auto& item : all.sweep) all.add(item).job("b").after = {"a"};
  }
};
// Adds a unit for each that has ended, at most `most`, and stops the first.
struct Search {
  int most = 4;
  void plan(Orchestration& all) const { all.add({.job_kwargs = Dict{{"x", 0}}}); }
  void step(Orchestration& all, const Progress& progress) const {
    if (static_cast<int>(progress.size()) < most) {
      all.add({.job_kwargs = Dict{{"x", static_cast<int>(progress.size())}}});
      all.stop(1);
    }
  }
};
struct Here {
  void submit(std::span<const Attempt>) const {}
  std::vector<Seen> poll(std::span<const Attempt> attempts) const {
    return std::vector<Seen>(attempts.size());
  }
  void stop(std::span<const Attempt>, Stop) const {}
};
// Gives single jobs what the others do not get.
struct PerJob {
  static constexpr std::string_view konfig_raw_fields[] = {"per_job"};
  ConfigDict per_job = {};
  void plan(Orchestration& all) const {
    for (auto item : all.sweep) {
      item.per_job = per_job.to_dict();
      all.add(item);
    }
  }
};
struct Servers {
  int count = 2;
  ProvidedJobs jobs(const JobsContext&) const {
    ProvidedJobs out;
    for (int i = 0; i < count; ++i) {
      out.jobs.push_back({.name = "server" + std::to_string(i),
                          .job = konfig::lower(Job{.target = "/bin/true", .args = {{"i", i}}})});
    }
    return out;
  }
};

}  // namespace kxm

KXM_COMPONENT(kxm::SweepInfo, kxm::Seeds);
KXM_COMPONENT(kxm::Orchestrator, kxm::Ordered);
KXM_COMPONENT(kxm::Orchestrator, kxm::Search);
KXM_COMPONENT(kxm::JobsProvider, kxm::Servers);
KXM_COMPONENT(kxm::Orchestrator, kxm::PerJob);
KXM_COMPONENT(kxm::Executor, kxm::Here);

namespace kxm {
namespace {

TEST(MakePlan, TakesComponentsOfOnesOwn) {
  const Job job{.target = "/bin/true"};
  const Plan plan = plan_of(Experiment{.jobs = {{"a", job}, {"b", job}},
                                       .sweep_info = Seeds{.count = 4},
                                       .orchestrator = Ordered()});
  ASSERT_EQ(plan.units.size(), 4u);
  EXPECT_THAT(plan.units[3].jobs[0].argv, Contains("--seed=3"));
  EXPECT_THAT(plan.units[3].jobs[1].after, ElementsAre("a"));
  EXPECT_EQ(plan.steering, nullptr);

  const Plan servers = plan_of(Experiment{.jobs_provider = Servers()});
  EXPECT_THAT(servers.units[0].jobs[1].argv, ElementsAre("/bin/true", "--i=1"));
}

TEST(MakePlan, AJobWithoutATargetIsKdIfItGetsTheConfig) {
  const LoadedConfig config = loaded(trainer());
  const Dict args{{"cfg", CFG_FLAG_VALUES}, {"cfg.workdir", "/w/a"}};
  const Dict eval{{"cfg", CFG_FLAG_VALUES}, {"eval_names", "e"}};
  const ConfigDict xp = konfig::lower(Experiment{
      .jobs = {{"a", Job{.args = ConfigDict(args)}}, {"b", Job{.args = ConfigDict(eval)}}}});
  const auto jobs = plan_of(xp, &config).units[0].jobs;
  EXPECT_THAT(jobs[0].argv,
              ElementsAre("/bin/kd", "train", "--cfg=my_config", "--cfg.workdir=/w/a"));
  EXPECT_EQ(jobs[0].role, Role::train);
  EXPECT_EQ(jobs[1].argv[1], "eval");
  EXPECT_EQ(jobs[1].role, Role::evaluate);
  EXPECT_EQ(error_of([] {
              plan_of(Experiment{.jobs = {{"a", Job{.args = {{"x", 1}}}}}});
            }),
            "job 'a': no target; name its program, for example --xp.jobs.a.target=./train.sh (kd "
            "itself runs a job that gets the config: args={'cfg': kxm.CFG_FLAG_VALUES} and "
            "--cfg=...)");
}

// --on=local, too.
TEST(MakePlan, APlaceAndAnExecutorOfAJobExcludeEachOther) {
  const Job job{.target = "/bin/true", .executor = Here()};
  ConfigDict xp = konfig::lower(Experiment{.jobs = {{"a", job}}});
  EXPECT_TRUE(plan_of(xp).executor);
  const auto guard = xp.ignore_type();
  xp.set("executor", "local");
  EXPECT_THAT(error_of([&] { plan_of(xp); }),
              HasSubstr("to run on 'local' (--on=, xp.executor), but a job has an executor of its "
                        "own, Here()"));
}

TEST(MakePlan, TensorBoardNeedsAFolder) {
  Experiment xp{.jobs = {{"a", Job{.target = "/bin/true"}}}, .tensorboard = true};
  EXPECT_EQ(error_of([&] { plan_of(xp); }),
            "xp.tensorboard: it shows the experiment's folder, and there is none; give one, for "
            "example --xp.root_dir=runs");
  xp.root_dir = "runs";
  EXPECT_EQ(plan_of(xp).dir, "/w/runs/7");
}

TEST(MakePlan, APlatformAndRequirementsThatDisagreeNameBothFlags) {
  Experiment xp{.requirements = {{"cpu", 1}},
                .jobs = {{"a", Job{.target = "/bin/true", .platform = "cpu=2"}}}};
  EXPECT_EQ(error_of([&] { plan_of(xp); }),
            "job 'a': --xp.jobs.a.platform is 'cpu=2', but --xp.requirements.cpu is 1: conflicting "
            "values; give one of them, or --xp.on_conflict=job to let the job's count");
  xp.on_conflict = OnConflict::job;
  EXPECT_EQ(plan_of(xp).units[0].jobs[0].resources.cpus, 2);
  const Experiment one{.platform = "cpu=1",
                       .requirements = {{"cpu", 1}},
                       .jobs = {{"a", Job{.target = "/bin/true"}}}};
  EXPECT_EQ(error_of([&] { plan_of(one); }),
            "job 'a': --xp.platform is 'cpu=1', but --xp.requirements.cpu is 1: conflicting "
            "values; give one of them");
}

TEST(MakePlan, SingleJobsMayGetMore) {
  JobGroup group;
  group.jobs["actor"] = Job{.target = "/bin/true", .args = {{"x", 1}, {"y", 2}}};
  auto plan = [&](const Dict& per_job) {
    return plan_of(Experiment{.jobs = {{"rl", group}, {"log", Job{.target = "/bin/true"}}},
                              .sweep_info = SimpleSweep{List{Dict{{"s", 1}}}},
                              .orchestrator = PerJob{ConfigDict(per_job)}});
  };
  const Dict actor{{"args", Dict{{"x", 5}, {"z", "new"}}}, {"env_vars", Dict{{"A", 1}}}};
  for (const Dict& per_job : {Dict{{"rl_actor", actor}}, Dict{{"rl", Dict{{"actor", actor}}}}}) {
    const PlannedUnit unit = plan(per_job).units[0];
    EXPECT_THAT(unit.jobs[0].argv, ElementsAre("/bin/true", "--x=5", "--y=2", "--z=new", "--s=1"));
    EXPECT_THAT(unit.jobs[0].env, ElementsAre(Pair("A", "1")));
    EXPECT_THAT(unit.jobs[1].argv, ElementsAre("/bin/true", "--s=1"));
    EXPECT_EQ(konfig::Value(unit.args),
              konfig::Value(Dict{{"s", 1}, {"rl_actor.x", 5}, {"rl_actor.z", "new"}}));
  }
  // It beats the sweep as well.
  EXPECT_THAT(plan({{"log", Dict{{"args", Dict{{"s", 2}}}}}}).units[0].jobs[1].argv,
              ElementsAre("/bin/true", "--s=2"));
  auto error = [&](const Dict& per_job) { return error_of([&] { plan(per_job); }); };
  EXPECT_THAT(error({{"lgo", Dict()}}),
              AllOf(HasSubstr("unit 1: per_job.lgo: no such job; did you mean 'log'?"),
                    HasSubstr("rl_actor, log")));
  EXPECT_THAT(error({{"log", Dict{{"arg", Dict()}}}}),
              HasSubstr("per_job.log.arg: a job takes args and env_vars"));
  EXPECT_THAT(error({{"log", Dict{{"args", "x"}}}}), HasSubstr("per_job.log.args: expected a map"));
  EXPECT_THAT(error({{"log", Dict{{"env_vars", Dict{{"A B", 1}}}}}}), HasSubstr("A B"));
}

TEST(MakePlan, SearchesAddAndStopUnits) {
  const Plan plan =
      plan_of(Experiment{.jobs = {{"a", Job{.target = "/bin/true"}}}, .orchestrator = Search()});
  ASSERT_NE(plan.steering, nullptr);
  const auto changes = plan.steering->step({{.unit = &plan.units[0], .is = UnitIs::finished}});
  ASSERT_EQ(changes.added.size(), 1u);
  EXPECT_EQ(changes.added[0].wid, 2);
  EXPECT_THAT(changes.added[0].jobs[0].argv, ElementsAre("/bin/true", "--x=1"));
  EXPECT_THAT(changes.stopped, ElementsAre(1));
}

TEST(MakePlan, ASweepThatTheOrchestratorLeavesOutIsRemarkedOn) {
  const auto plan = [](const konfig::Poly<Orchestrator>& orchestrator) {
    const Experiment xp{
        .jobs = {{"a", Job{.target = "/bin/true"}}, {"b", Job{.target = "/bin/true"}}},
        .orchestrator = orchestrator};
    return make_plan(xp, {.sweep = {Dict{{"seed", 1}}, Dict{{"seed", 2}}}});
  };
  EXPECT_EQ(plan(Ordered()).units.size(), 2u);
  EXPECT_THAT(plan(Ordered()).warnings, IsEmpty());
  EXPECT_THAT(plan(Search()).warnings,
              ElementsAre(HasSubstr("--sweep.seed has no effect on the first units")));
}

}  // namespace
}  // namespace kxm
