// Plans of sweeps: which units there are, and what each of them gets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "konfig/expect_test.h"
#include "kxm/make_plan_test.h"
#include "kxm/proxies.h"

namespace kxm {
namespace {

using konfig::Dict;
using konfig::error_of;
using konfig::List;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

TEST(MakePlan, SweepsOfTheConfigWaitForTheFlag) {
  const LoadedConfig config = loaded(trainer());
  EXPECT_EQ(plan_of(kd_base(), &config).units.size(), 1u);
  const Plan plan = plan_of(kd_base({{"sweep", true}}), &config);
  ASSERT_EQ(plan.units.size(), 2u);
  EXPECT_EQ(plan.units[0].dir, "/w/runs/7/1-seed=1");
  EXPECT_THAT(plan.units[1].jobs[0].argv, Contains("--cfg.seed=2"));
  EXPECT_THAT(plan.tags, Contains("🧹"));
  EXPECT_EQ(plan_of(kd_base({{"sweep", List{"", "lr"}}}), &config).units.size(), 2u);
  EXPECT_EQ(error_of([&] {
              plan_of(kd_base({{"sweep", "lr,lr"}}), &config);
            }),
            "xp.sweep: 'lr' is named twice; each sweep counts once");
}

TEST(MakePlan, WrongPathsStopTheLaunch) {
  LoadedConfig config = loaded(trainer());
  config.loaded_sweeps = std::make_shared<LoadedConfig::Sweeps>(LoadedConfig::Sweeps{
      {"", {Dict{{"model.dim", 1}}, Dict{{"model.dim", "wide"}}, Dict{{"nowhere.x", 1}}}}});
  EXPECT_THAT(error_of([&] {
                plan_of(kd_base({{"sweep", true}}), &config);
              }),
              AllOf(HasSubstr("unit 2 (model.dim=wide)"), HasSubstr("--cfg.model.dim=wide")));
}

TEST(MakePlan, GivenForAllBeatsTheSweep) {
  const LoadedConfig config = loaded(trainer(), {{"seed", 9}});
  const Plan plan = plan_of(kd_base({{"sweep", true}}), &config);
  EXPECT_THAT(plan.units[1].jobs[0].argv, Contains("--cfg.seed=9"));
  EXPECT_THAT(plan.units[1].jobs[0].argv, testing::Not(Contains("--cfg.seed=2")));
  EXPECT_THAT(plan.warnings, Contains(HasSubstr("--cfg.seed is given for all units and swept")));
}

// "*" is all of one, too.
TEST(MakePlan, ASimpleSweepHasNoNames) {
  auto plan = [](const konfig::Value& sweep) {
    return plan_of(Experiment{.jobs = {{"a", Job{.target = "/bin/true"}}},
                              .sweep = sweep,
                              .sweep_info = SimpleSweep{List{Dict{{"x", 1}}, Dict{{"x", 2}}}}});
  };
  for (const konfig::Value& sweep : {konfig::Value(true), konfig::Value("*"), konfig::Value()}) {
    EXPECT_EQ(plan(sweep).units.size(), 2u);
  }
  EXPECT_EQ(plan(false).units.size(), 1u);
  EXPECT_EQ(error_of([&] { plan("nosuch"); }),
            "xp.sweep=nosuch: SimpleSweep has one sweep, without a name; leave --xp.sweep out, or "
            "--xp.sweep=False runs one unit");
}

TEST(MakePlan, ProxiesAreShownByTheirNames) {
  const Experiment xp{
      .jobs = {{"a", Job{.target = "/bin/true"}}},
      .root_dir = "runs",
      .sweep_info = SimpleSweep{List{Dict{{"out", std::string(WU_DIR_PROXY) + "/a"}}}}};
  const Plan plan = plan_of(xp);
  EXPECT_EQ(konfig::Value(plan.units[0].args), konfig::Value(Dict{{"out", "kxm.WU_DIR_PROXY/a"}}));
  EXPECT_THAT(plan.units[0].jobs[0].argv, Contains("--out=/w/runs/7/1/a"));
  // As an f-string of a config.py has it.
  EXPECT_EQ(with_proxies("ConfigDictProxyObject(kauldron.kxm:WU_DIR_PROXY)/a"),
            konfig::Value(std::string(WU_DIR_PROXY) + "/a"));
  EXPECT_THAT(error_of([] { with_proxies("ConfigDictProxyObject(kauldron.kxm:file_path)"); }),
              HasSubstr("a name of konfig.imports() was made part of a text"));
  EXPECT_EQ(with_proxy_names(file_path("x.gin") + ":a"),
            konfig::Value("kxm.file_path(\"x.gin\"):a"));
}

// The names of folders and what is shown, too.
TEST(MakePlan, LabelsShowWhatUnitsGet) {
  const LoadedConfig config = loaded(trainer(), {{"seed", 9}});
  const Plan plan =
      make_plan(kd_base({{"sweep", true}}),
                {.xid = 7, .config = &config, .sweep = {Dict{{"lr", 1}}}, .cwd = "/w"});
  EXPECT_EQ(konfig::Value(plan.units[1].args), konfig::Value(Dict{{"seed", 9}, {"lr", 1}}));
  EXPECT_EQ(plan.units[1].dir, "/w/runs/7/2-seed=9,lr=1");
  // One job has a value of its own, the other one gets the sweep's.
  const Experiment xp{.jobs = {{"a", Job{.target = "/bin/true", .args = {{"x", 5}}}},
                               {"b", Job{.target = "/bin/true"}}},
                      .sweep_info = SimpleSweep{List{Dict{{"x", 1}}}}};
  EXPECT_EQ(konfig::Value(plan_of(xp).units[0].args), konfig::Value(Dict{{"x", 1}}));
  Experiment both = xp;
  both.jobs["b"] = Job{.target = "/bin/true", .args = {{"x", 5}}};
  EXPECT_EQ(konfig::Value(plan_of(both).units[0].args), konfig::Value(Dict{{"x", 5}}));
}

TEST(MakePlan, PathsInsideOthersAreRefused) {
  LoadedConfig config = loaded(trainer(), {{"model.dim", 3}});
  config.loaded_sweeps = std::make_shared<LoadedConfig::Sweeps>(
      LoadedConfig::Sweeps{{"", {Dict{{"model", Dict{{"dim", 4}}}}}}});
  EXPECT_THAT(error_of([&] {
                plan_of(kd_base({{"sweep", true}}), &config);
              }),
              AllOf(HasSubstr("--cfg.model (swept)"), HasSubstr("--cfg.model.dim (given for all")));
  // Other programs may have arguments like that.
  const Experiment xp{.jobs = {{"a", Job{.target = "/bin/true", .args = {{"x", 1}, {"x.y", 2}}}}}};
  EXPECT_EQ(plan_of(xp).units.size(), 1u);
}

// x.y of another program is not a part of its x.
TEST(MakePlan, SweptArgumentsOfOtherProgramsMayShareAWord) {
  const Experiment xp{.jobs = {{"a", Job{.target = "/bin/true", .args = {{"x", 1}}}}},
                      .sweep_info = SimpleSweep{List{Dict{{"x.y", 2}}}}};
  EXPECT_THAT(plan_of(xp).units[0].jobs[0].argv,
              testing::ElementsAre("/bin/true", "--x=1", "--x.y=2"));
}

// --cfg=my_config:size=3 is --cfg.__args__.size=3.
TEST(MakePlan, ArgumentsInTheNameOfTheConfigAreGivenForAll) {
  LoadedConfig config = loaded(trainer());
  config.from.config_parameter = "size=3,name='x'";
  config.loaded_sweeps = std::make_shared<LoadedConfig::Sweeps>(
      LoadedConfig::Sweeps{{"", {Dict{{"__args__.size", 1}}, Dict{{"__args__.size", 2}}}}});
  for (const char* args : {"__args__.size=1\n", "__args__.size=2\n"}) {
    (*config.variants)[args].config = config.config;
  }
  const Plan plan = plan_of(kd_base({{"sweep", true}}), &config);
  EXPECT_THAT(
      plan.units[1].jobs[0].argv,
      testing::IsSupersetOf({"--cfg=my_config", "--cfg.__args__.size=3", "--cfg.__args__.name=x"}));
  EXPECT_THAT(plan.units[1].jobs[0].argv, testing::Not(Contains("--cfg.__args__.size=2")));
  EXPECT_THAT(plan.warnings,
              Contains(HasSubstr("--cfg.__args__.size is given for all units and swept, too")));
}

TEST(MakePlan, SweepsBelowXmJobChangeTheJob) {
  LoadedConfig config = loaded(trainer());
  config.loaded_sweeps = std::make_shared<LoadedConfig::Sweeps>(LoadedConfig::Sweeps{
      {"", {Dict{{"xm_job.platform", "gpu=1"}}, Dict{{"xm_job.platform", "gpu=2"}}}}});
  const Plan plan = plan_of(kd_base({{"sweep", true}}), &config);
  EXPECT_EQ(plan.units[0].jobs[0].resources.gpus, 1);
  EXPECT_EQ(plan.units[1].jobs[0].resources.gpus, 2);
}

TEST(MakePlan, SweepFlagsCombine) {
  const LoadedConfig config = loaded(trainer());
  const Plan plan = make_plan(kd_base({{"sweep", true}}),
                              {.xid = 7,
                               .config = &config,
                               .sweep = {Dict{{"lr", 1}}, Dict{{"lr", 2}}, Dict{{"lr", 3}}},
                               .cwd = "/w"});
  ASSERT_EQ(plan.units.size(), 6u);
  EXPECT_EQ(plan.units[4].dir, "/w/runs/7/5-seed=2,lr=2");
  // The sweep of the config has seeds of its own.
  EXPECT_THROW(make_plan(kd_base({{"sweep", true}}),
                         {.xid = 7, .config = &config, .sweep = {Dict{{"seed", 3}}}, .cwd = "/w"}),
               konfig::Error);
}

TEST(MakePlan, UnitFoldersNeverCollide) {
  Experiment xp{.jobs = {{"a", Job{.target = "/bin/true", .args = {{"d", WU_DIR_PROXY}}}}},
                .root_dir = "/r",
                .subdir_format = SubdirFormat{.wu_dirname = "same"},
                .sweep_info = SimpleSweep{List{Dict(), Dict(), Dict()}}};
  const Plan plan = make_plan(xp, {.xid = 1, .existing_units = 2, .existing_dirs = {"/r/1/same"}});
  EXPECT_EQ(plan.units[0].dir, "/r/1/same-3");
  EXPECT_EQ(plan.units[1].dir, "/r/1/same-4");
  EXPECT_EQ(plan.units[2].identity, "sweep_4");
}

TEST(MakePlan, TenThousandUnits) {
  LoadedConfig config = loaded(trainer());
  std::vector<Dict> items;
  for (int i = 0; i < 10'000; ++i) items.push_back({{"seed", i}, {"lr", 0.001 * i}});
  config.loaded_sweeps = std::make_shared<LoadedConfig::Sweeps>(LoadedConfig::Sweeps{{"", items}});
  const Plan plan = plan_of(kd_base({{"sweep", true}}), &config);
  ASSERT_EQ(plan.units.size(), 10'000u);
  EXPECT_EQ(plan.units.back().wid, 10'000);
  EXPECT_THAT(plan.units.back().dir, testing::EndsWith("/10000-seed=9999,lr=9.999"));
}

}  // namespace
}  // namespace kxm
