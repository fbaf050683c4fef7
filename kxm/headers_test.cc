// The code in the opening comments of the headers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iostream>

#include "konfig/config_registry.h"
#include "konfig/json.h"
#include "konfig/lower.h"
#include "kxm/argv.h"
#include "kxm/experiments.h"
#include "kxm/kxm.h"

namespace kxm::of_headers {

struct MyJob {
  KXM_JOB_PARAMS(KXM_FIELD);
  int further = 0;
};

struct Seeds {
  int count = 3;
  std::vector<konfig::Dict> points() const;  // or points(const kxm::SweepContext&)
};
std::vector<konfig::Dict> Seeds::points() const {
  return std::vector<konfig::Dict>(static_cast<std::size_t>(count));
}

struct Servers {
  int count = 2;
  kxm::ProvidedJobs jobs(const kxm::JobsContext&) const;
};
kxm::ProvidedJobs Servers::jobs(const kxm::JobsContext&) const { return {}; }

struct Ordered {
  void plan(kxm::Orchestration& all) const {
    for (auto& item : all.sweep) all.add(item).job("eval").after = {"train"};
  }
};

struct MyFormat {
  konfig::Value xp_dirname = "{xid}", wu_dirname = "{answer}";
  std::optional<konfig::Value> field(std::string_view name, const kxm::DirContext& at) const {
    return name == "answer" ? std::optional<konfig::Value>(at.xid + 41) : std::nullopt;
  }
};

}  // namespace kxm::of_headers

using kxm::of_headers::MyFormat;
using kxm::of_headers::Ordered;
using kxm::of_headers::Seeds;
using kxm::of_headers::Servers;
KXM_COMPONENT(kxm::SweepInfo, Seeds);
KXM_COMPONENT(kxm::JobsProvider, Servers);
KXM_COMPONENT(kxm::Orchestrator, Ordered);
KXM_COMPONENT(kxm::DirFormat, MyFormat);

namespace kxm {
namespace {

using konfig::Dict;
using konfig::List;
using testing::ElementsAre;

TEST(PlanHeaders, Experiment) {
  Experiment xp{
      .jobs = {{"train", Job{.target = "./train.sh", .args = {{"workdir", WU_DIR_PROXY}}}}},
      .root_dir = "runs",
      .sweep_info =
          SimpleSweep{konfig::List{konfig::Dict{{"lr", 0.1}}, konfig::Dict{{"lr", 0.01}}}},
  };
  EXPECT_THROW(Plan plan = make_plan(xp);, konfig::Error);  // there is no ./train.sh
  xp.jobs["train"].as<Job>().target = "/bin/true";
  Plan plan = make_plan(xp);  // kxm/make_plan.h
  EXPECT_EQ(plan.units.size(), 2u);
}

TEST(PlanHeaders, Plan) {
  const Experiment experiment{.jobs = {{"j", Job{.target = "/bin/true"}}}};
  Plan plan = make_plan(experiment, {.xid = 17});
  for (const PlannedUnit& unit : plan.units) std::cout << unit.dir << "\n";
  EXPECT_EQ(plan.xid, 17);
}

static konfig::ConfigDict get_config() { return konfig::ConfigDict{{"seed", 1}}; }

TEST(PlanHeaders, MakePlan) {
  konfig::register_config("mnist_autoencoder", konfig::detail::EntryOf<&get_config>::entry());
  const Experiment experiment{
      .args = {{"cfg", CFG_FLAG_VALUES}},
      .jobs = {{"j", Job{.target = "/bin/true"}}},
  };
  LoadedConfig cfg = load_config({.source = "mnist_autoencoder"});
  Plan plan = make_plan(experiment, {.xid = 17, .config = &cfg});
  std::cout << plan.warnings.size() << konfig::to_json(plan_dict(plan));
  EXPECT_THAT(plan.units[0].jobs[0].argv, ElementsAre("/bin/true", "--cfg=mnist_autoencoder"));
}

TEST(PlanHeaders, Jobs) {
  const Job job =
      Job{.target = "./train.sh", .platform = "a100=1", .args = {{"workdir", WU_DIR_PROXY}}};
  EXPECT_EQ(job.platform, "a100=1");
  const Job with_file = Job{.args = {{"workdir", WU_DIR_PROXY}, {"gin", file_path("a.gin")}},
                            .files = {{"a.gin", "configs/a.gin"}}};
  EXPECT_EQ(with_file.args["gin"].as<std::string>(), "__kxm_file__(a.gin)");
  EXPECT_EQ(of_headers::MyJob{}.further, 0);
  const auto provider =
      ConfigProvider{.source = "my_config.py", .overrides = {{"train_ds.batch_size", 32}}};
  EXPECT_EQ(provider.overrides.get("train_ds.batch_size"), konfig::Value(32));
  const auto format =
      SubdirFormat{.xp_dirname = "{xid}-{name}", .wu_dirname = "{wid}-{sweep_kwargs}"};
  EXPECT_EQ(format.xp_dirname, konfig::Value("{xid}-{name}"));
}

TEST(PlanHeaders, Arguments) {
  SequentialArgs args;
  args.add(List{1}), args.add(Dict{{"a", "x y"}});
  args.to_list();  // {"1", "--a='x y'"}
  EXPECT_THAT(args.to_list(), ElementsAre("1", "--a='x y'"));
}

TEST(PlanHeaders, Experiments) {
  std::vector<std::string> args = {"--xp=single", "--xp.target=/bin/true"};
  konfig::ConfigDict xp = load_experiment(flags::take_config_flag(args, "xp"), args);
  EXPECT_EQ(make_plan(xp).jobs[0].first, "main");
}

TEST(PlanHeaders, Components) {
  const Job job{.target = "/bin/true", .args = {{"d", WU_DIR_PROXY}}};
  const Experiment swept =
      Experiment{.sweep_info = SimpleSweep{List{Dict{{"lr", 0.1}}, Dict{{"lr", 0.01}}}}};
  EXPECT_EQ(swept.sweep_info.as<SimpleSweep>().points().size(), 2u);
  const Plan plan = make_plan(Experiment{.jobs = {{"train", job}, {"eval", job}},
                                         .root_dir = "/r",
                                         .subdir_format = MyFormat(),
                                         .sweep_info = Seeds{.count = 1},
                                         .orchestrator = Ordered()});
  EXPECT_THAT(plan.units[0].jobs[1].after, ElementsAre("train"));
  EXPECT_EQ(plan.units[0].dir, "/r/1/42");
  EXPECT_THROW(make_plan(Experiment{.jobs_provider = Servers()}), konfig::Error);
}

}  // namespace
}  // namespace kxm
