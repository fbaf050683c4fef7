#include "kxm/make_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/temp_folder.h"
#include "konfig/expect_test.h"
#include "konfig/implement.h"
#include "konfig/konfig.h"
#include "konfig/lower.h"
#include "konfig/register.h"
#include "kxm/borg.h"
#include "kxm/experiments.h"
#include "kxm/proxies.h"
#include "loader/loader.h"

namespace kxm {
namespace {

using konfig::call;
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

// A small training config, as one of --cfg=.
ConfigDict trainer() {
  return ConfigDict{{"seed", 1},
                    {"lr", 0.1},
                    {"name", "x"},
                    {"model", ConfigDict{{"dim", 8}}},
                    {"setup", ConfigDict{{"eval_only", false}}},
                    {"evals", ConfigDict()},
                    {"xm_job", call("kauldron.kxm:Job")}};
}
ConfigDict standalone(const konfig::Dict& fields) {
  Dict all{{konfig::kQualname, "kauldron.kd:evals.StandaloneEveryCheckpoint"}};
  for (auto& [k, v] : fields) all.set(k, v);
  return ConfigDict{{"run", ConfigDict(all)}};
}

LoadedConfig loaded(const ConfigDict& config, const ConfigDict& overrides = {}) {
  LoadedConfig out;
  out.from.source = "my_config";
  out.from.overrides = overrides;
  out.config = config;
  out.loaded_sweeps = std::make_shared<LoadedConfig::Sweeps>(LoadedConfig::Sweeps{
      {"", {Dict{{"seed", 1}}, Dict{{"seed", 2}}}}, {"lr", {Dict{{"lr", 0.5}}}}});
  return out;
}

ConfigDict kd_base(const Dict& fields = {}) {
  std::vector<std::string> none;
  ConfigDict xp = load_experiment({.name = "xp", .source = "kd_base"}, none);
  for (auto& [k, v] : fields) xp.set(k, v);
  return xp;
}

Plan plan_of(const ConfigDict& xp, const LoadedConfig* config = nullptr) {
  return make_plan(xp, {.xid = 7, .author = "me", .config = config, .kd = "/bin/kd", .cwd = "/w"});
}
Plan plan_of(const Experiment& xp) { return plan_of(konfig::lower(xp)); }

TEST(MakePlan, TheSeedsDirectApi) {
  const Experiment xp{
      .jobs = {{"train", Job{.target = "/bin/true", .args = {{"workdir", WU_DIR_PROXY}}}}},
      .root_dir = "/r/{author}",
      .sweep_info = SimpleSweep{List{Dict{{"lr", 0.1}}, Dict{{"lr", 1e-5}}}}};
  const Plan plan = plan_of(xp);
  EXPECT_EQ(plan.dir, "/r/me/7");
  ASSERT_EQ(plan.units.size(), 2u);
  EXPECT_EQ(plan.units[1].dir, "/r/me/7/2");
  EXPECT_EQ(plan.units[1].identity, "sweep_1");
  EXPECT_THAT(plan.units[1].jobs[0].argv,
              ElementsAre("/bin/true", "--workdir=/r/me/7/2", "--lr=1e-05"));
  EXPECT_THAT(plan.units[1].jobs[0].env, IsEmpty());
  EXPECT_THAT(plan.programs, ElementsAre("/bin/true"));
}

TEST(MakePlan, KdTrainsAConfig) {
  const LoadedConfig config = loaded(trainer(), {{"seed", 3}, {"name", "12"}, {"lr", nullptr}});
  const Plan plan = plan_of(kd_base(), &config);
  EXPECT_EQ(plan.title, "my_config");
  ASSERT_EQ(plan.units.size(), 1u);
  const PlannedJob& job = plan.units[0].jobs[0];
  EXPECT_EQ(job.name, "train");
  EXPECT_EQ(job.role, Role::train);
  // "12" stays text, None is passed on.
  EXPECT_THAT(job.argv,
              ElementsAre("/bin/kd", "train", "--cfg=my_config", "--cfg.workdir=/w/runs/7/1",
                          "--cfg.seed=3", "--cfg.name=\"12\"", "--cfg.lr=null"));
}

TEST(MakePlan, SweepsOfTheConfigWaitForTheFlag) {
  const LoadedConfig config = loaded(trainer());
  EXPECT_EQ(plan_of(kd_base(), &config).units.size(), 1u);
  const Plan plan = plan_of(kd_base({{"sweep", true}}), &config);
  ASSERT_EQ(plan.units.size(), 2u);
  EXPECT_EQ(plan.units[0].dir, "/w/runs/7/1-seed=1");
  EXPECT_THAT(plan.units[1].jobs[0].argv, Contains("--cfg.seed=2"));
  EXPECT_THAT(plan.tags, Contains("🧹"));
  EXPECT_EQ(plan_of(kd_base({{"sweep", List{"", "lr"}}}), &config).units.size(), 2u);
}

TEST(MakePlan, StandaloneEvaluatorsAreJobs) {
  ConfigDict cfg = trainer();
  cfg["evals"]["a"] = standalone({{"job_group", "both"}, {"platform", "gpu=1"}});
  cfg["evals"]["b"] = standalone({{"job_group", "both"}});
  cfg["evals"]["c"] = ConfigDict{{"run", call("kauldron.kd:evals.EveryNSteps", {{"n", 5}})}};
  cfg["evals"]["d"] = standalone({});
  LoadedConfig config = loaded(cfg);
  Plan plan = plan_of(kd_base(), &config);
  ASSERT_EQ(plan.units[0].jobs.size(), 3u);
  const PlannedJob& both = plan.units[0].jobs[1];
  EXPECT_EQ(both.name, "both");
  EXPECT_EQ(both.role, Role::evaluate);
  EXPECT_EQ(both.resources.gpus, 1);
  EXPECT_THAT(both.argv, ElementsAre("/bin/kd", "eval", "--cfg=my_config",
                                     "--cfg.workdir=/w/runs/7/1", "--eval_names=a,b"));

  cfg["evals"]["b"]["run"]["platform"] = "cpu";
  config = loaded(cfg);
  EXPECT_THAT(error_of([&] { plan_of(kd_base(), &config); }),
              AllOf(HasSubstr("job_group 'both'"), HasSubstr("--cfg.evals.a.run.platform"),
                    HasSubstr("--cfg.evals.b.run.platform")));
}

TEST(MakePlan, EvalOnlyHasNoTraining) {
  ConfigDict cfg = trainer();
  cfg["setup"]["eval_only"] = true;
  cfg["xm_job"]["priority"] = 100;
  cfg["evals"]["along"] = ConfigDict{{"run", call("kauldron.kd:evals.EveryNSteps", {{"n", 5}})}};
  cfg["evals"]["alone"] = standalone({});
  const LoadedConfig config = loaded(cfg);
  const Plan plan = plan_of(kd_base(), &config);
  ASSERT_EQ(plan.units[0].jobs.size(), 2u);
  EXPECT_EQ(plan.units[0].jobs[0].name, "eval_only");
  EXPECT_THAT(plan.units[0].jobs[0].argv, Contains("--eval_names=along"));
  EXPECT_EQ(plan.jobs[0].second.at("priority"), konfig::Value(100));
}

TEST(MakePlan, ConflictsNameBothFlags) {
  ConfigDict cfg = trainer();
  cfg["xm_job"]["platform"] = "a100=1";
  const LoadedConfig config = loaded(cfg);
  EXPECT_THAT(error_of([&] {
                plan_of(kd_base({{"platform", "v100=1"}}), &config);
              }),
              AllOf(HasSubstr("job 'train'"), HasSubstr("--xp.platform"),
                    HasSubstr("--cfg.xm_job.platform"), HasSubstr("--xp.on_conflict=job")));
  const Plan plan = plan_of(kd_base({{"platform", "v100=1"}, {"on_conflict", "job"}}), &config);
  EXPECT_EQ(plan.jobs[0].second.at("platform"), konfig::Value("a100=1"));
  EXPECT_EQ(plan_of(kd_base({{"platform", "a100=1"}}), &config).units.size(), 1u);
}

TEST(MakePlan, AJobsAcceleratorMayTakeTheExperimentsPlace) {
  const Experiment xp{.platform = "a100=4",
                      .requirements = {{"cpu", 4}},
                      .jobs = {{"j", Job{.target = "/bin/true",
                                         .requirements = {{"gpu", 1}, {"memory", "1GiB"}}}}}};
  EXPECT_THAT(error_of([&] { plan_of(xp); }), HasSubstr("one kind of accelerator"));
  Experiment wins = xp;
  wins.on_conflict = OnConflict::job;
  const Plan plan = plan_of(wins);
  EXPECT_EQ(plan.units[0].jobs[0].resources, (Resources{.cpus = 4, .memory = 1 << 30, .gpus = 1}));
  EXPECT_EQ(plan.jobs[0].second.at("platform"), konfig::Value("gpu=1"));
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

TEST(MakePlan, AFolderMayBeNamed) {
  const LoadedConfig config = loaded(trainer(), {{"workdir", "my/run/"}});
  const Plan plan = plan_of(kd_base(), &config);
  EXPECT_EQ(plan.units[0].dir, "/w/my/run");
  EXPECT_THAT(plan.units[0].jobs[0].argv, Contains("--cfg.workdir=/w/my/run"));
  EXPECT_THAT(error_of([&] {
                plan_of(kd_base({{"sweep", true}}), &config);
              }),
              AllOf(HasSubstr("2 units would share"), HasSubstr("--xp.root_dir=/w/my/run")));
  // Or swept.
  const LoadedConfig plain = loaded(trainer());
  auto swept = [&](const Dict& a, const Dict& b) {
    return make_plan(kd_base(),
                     {.xid = 7, .config = &plain, .sweep = {a, b}, .kd = "/bin/kd", .cwd = "/w"});
  };
  const Plan two = swept({{"workdir", "a"}}, {{"workdir", "/b"}});
  EXPECT_EQ(two.units[0].dir, "/w/a");
  EXPECT_THAT(two.units[1].jobs[0].argv,
              ElementsAre("/bin/kd", "train", "--cfg=my_config", "--cfg.workdir=/b"));
  EXPECT_THAT(two.warnings, IsEmpty());
  EXPECT_THAT(error_of([&] {
                swept({{"workdir", "a"}}, {{"workdir", "/w/a"}});
              }),
              AllOf(HasSubstr("unit 2"), HasSubstr("/w/a is the folder of another unit")));
}

TEST(MakePlan, ARootThatIsGivenIsUsed) {
  Experiment xp{.jobs = {{"a", Job{.target = "/bin/true"}}}};
  EXPECT_EQ(plan_of(xp).dir, "");
  xp.root_dir = "/r";
  EXPECT_EQ(plan_of(xp).dir, "/r/7");
  EXPECT_THAT(plan_of(xp).warnings, IsEmpty());
  xp.subdir_format = SubdirFormat{.wu_dirname = "unit{wid}"};
  EXPECT_THAT(plan_of(xp).warnings, ElementsAre(HasSubstr("subdir_format.wu_dirname has no")));
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

TEST(MakePlan, TargetsAreProgramsScriptsAndLabels) {
  const base::TempFolder folder;
  std::ofstream(folder / "a.py") << "print(1)\n";
  std::ofstream(folder / "a.sh") << "echo\n";
  auto argv_of = [&](const Job& job) {
    const Plan plan = make_plan(Experiment{.jobs = {{"j", job}}}, {.cwd = folder.path().string()});
    return plan.units[0].jobs[0].argv;
  };
  const std::string dir = folder.path().string();
  EXPECT_THAT(argv_of({.target = "a.py"}), ElementsAre("python3", dir + "/a.py"));
  EXPECT_THAT(argv_of({.target = "./a.sh"}), ElementsAre("bash", dir + "/a.sh"));
  EXPECT_THAT(argv_of({.target = "//:a", .use_interpreter = true}),
              ElementsAre("python3", dir + "/a.py"));
  EXPECT_THAT(argv_of({.use_interpreter = true,
                       .interpreter_info = InterpreterInfo{.script_path = "a.py"}}),
              ElementsAre("python3", dir + "/a.py"));
  EXPECT_THAT(error_of([&] { argv_of({.use_interpreter = true}); }),
              AllOf(HasSubstr("job 'j'"), HasSubstr("interpreter_info.script_path=train.py")));
  EXPECT_THAT(error_of([&] { argv_of({.target = "//:b", .use_interpreter = true}); }),
              HasSubstr("there is no script " + dir + "/b.py"));
  EXPECT_THAT(argv_of({.target = "true"}), ElementsAre(testing::EndsWith("/true")));
  EXPECT_THAT(argv_of({.target = "//my:tool"}), ElementsAre("//my:tool"));
  EXPECT_THAT(error_of([&] { argv_of({.target = "./no_such"}); }),
              AllOf(HasSubstr("job 'j'"), HasSubstr("no_such")));
  EXPECT_THAT(error_of([&] { argv_of({}); }), HasSubstr("--xp.jobs.j.target="));
  EXPECT_THAT(error_of([&] { argv_of({.target = "true", .platform = "jf=2x2"}); }),
              HasSubstr("no TPUs"));

  Plan plan = make_plan(Experiment{.jobs = {{"j", Job{.target = "//my:tool"}}}});
  EXPECT_THAT(plan.targets, ElementsAre("//my:tool"));
  use_programs(plan, {{"//my:tool", "/b/tool"}});
  EXPECT_THAT(plan.units[0].jobs[0].argv, ElementsAre("/b/tool"));
  EXPECT_THAT(plan.programs, ElementsAre("/b/tool"));
}

TEST(MakePlan, TargetsMayBeBesideTheExperiment) {
  const base::TempFolder folder, other;
  std::ofstream(folder / "a.sh") << "echo\n";
  const Experiment xp{.jobs = {{"j", Job{.target = "a.sh"}}}};
  const std::string file = (folder / "a.sh").string();
  Plan plan = make_plan(xp, {.cwd = other.path().string(), .launch_dir = folder.path().string()});
  EXPECT_THAT(plan.units[0].jobs[0].argv, ElementsAre("bash", file));
  EXPECT_THAT(plan.programs, ElementsAre(file, "bash"));
  use_programs(plan, {{file, "/kept/a.sh"}});
  EXPECT_THAT(plan.units[0].jobs[0].argv, ElementsAre("bash", "/kept/a.sh"));
}

TEST(MakePlan, AllJobsMayTakeTheConfig) {
  const LoadedConfig config = loaded(trainer(), {{"seed", 3}});
  const Experiment xp{.args = {{"cfg", CFG_FLAG_VALUES}},
                      .jobs = {{"a", Job{.target = "/bin/true"}}},
                      .sweep_info = SimpleSweep{List{Dict{{"cfg.name", "12"}}}}};
  EXPECT_THAT(plan_of(konfig::lower(xp), &config).units[0].jobs[0].argv,
              ElementsAre("/bin/true", "--cfg=my_config", "--cfg.seed=3", "--cfg.name=\"12\""));
  Experiment wrong = xp;
  wrong.sweep_info = SimpleSweep{List{Dict{{"cfg.model.width", 1}}, Dict{{"cfg.modle.dim", 1}}}};
  EXPECT_THAT(error_of([&] { plan_of(konfig::lower(wrong), &config); }),
              AllOf(HasSubstr("unit 2"), HasSubstr("modle")));
  EXPECT_THAT(plan_of(xp).warnings, Contains(HasSubstr("args.cfg")));
}

TEST(MakePlan, FilesAreKept) {
  const base::TempFolder folder;
  std::ofstream(folder / "x.gin") << "a\n";
  const Experiment xp{.jobs = {{"j", Job{.target = "/bin/true",
                                         .args = {{"g", file_path("my.gin") + ":x y"}},
                                         .files = {{"my.gin", "x.gin"}}}}}};
  const Plan plan =
      make_plan(xp, {.cwd = folder.path().string(),
                     .kept_path = [](const KeptFile& f) { return "/kept/" + f.name; }});
  EXPECT_THAT(plan.units[0].jobs[0].argv, Contains("--g=/kept/my.gin:x y"));
  ASSERT_EQ(plan.files.size(), 1u);
  EXPECT_EQ(plan.files[0].source, (folder / "x.gin").string());
  EXPECT_THAT(error_of([&] { make_plan(xp, {.cwd = "/nowhere"}); }), HasSubstr("there is no"));
}

TEST(MakePlan, GroupsAreFlattened) {
  JobGroup group;
  group.jobs["actor"] = Job{.target = "/bin/true"};
  group.jobs["learner"] = Job{.target = "/bin/false"};
  const Plan plan = plan_of(Experiment{.jobs = {{"rl", group}, {"log", Job{.target = "/bin/ls"}}}});
  std::vector<std::string> names;
  for (auto& job : plan.units[0].jobs) names.push_back(job.name);
  EXPECT_THAT(names, ElementsAre("rl_actor", "rl_learner", "log"));
}

TEST(MakePlan, DebugSwitchesGoToThoseWhoAsk) {
  const Experiment xp{.jobs = {{"j", Job{.target = "/bin/true"}}}, .root_dir = "/r"};
  EXPECT_THAT(plan_of(xp).units[0].jobs[0].argv, ElementsAre("/bin/true"));
  Experiment asked{.debug = Debug{.dump_hlo = true, .jax_log_compiles = true, .xprof_port = true},
                   .jobs = {{"j", Job{.target = "/bin/true"}}},
                   .root_dir = "/r"};
  const PlannedJob job = plan_of(asked).units[0].jobs[0];
  EXPECT_THAT(job.argv,
              ElementsAre("/bin/true", "--jax_log_compiles", "--xprof_port=__kxm_port__(xprof)"));
  EXPECT_THAT(job.env, ElementsAre(Pair("XLA_FLAGS", " --xla_dump_to=/r/7/1")));
}

TEST(MakePlan, BorgIsRemarkedOn) {
  ConfigDict xp = konfig::lower(Experiment{.jobs = {{"j", Job{.target = "/bin/true"}}}});
  EXPECT_THAT(plan_of(xp).warnings, IsEmpty());
  xp["executor"]["scheduling"]["max_task_failures"] = -1;
  xp["importance"] = "HIGH";
  EXPECT_THAT(plan_of(xp).warnings,
              ElementsAre(HasSubstr("xp.importance"), HasSubstr("xp.retries")));
}

TEST(MakePlan, InterpretersAreRemarkedOn) {
  const Job job{.target = "/bin/true",
                .interpreter_info =
                    InterpreterInfo{.mpm = MLPython{.version = "live"}, .script_path = "a.py"}};
  EXPECT_THAT(plan_of(Experiment{.jobs = {{"j", job}, {"k", job}}}).warnings,
              ElementsAre(HasSubstr("without use_interpreter"), HasSubstr("interpreter_info.mpm")));
}

TEST(MakePlan, MistakesAreNamed) {
  auto xp = [](const Dict& fields) {
    ConfigDict out = konfig::lower(Experiment{.jobs = {{"j", Job{.target = "/bin/true"}}}});
    for (auto& [k, v] : fields) out.set(k, v);
    return out;
  };
  EXPECT_THAT(error_of([&] { plan_of(xp({{"nope", 1}})); }), HasSubstr("nope"));
  EXPECT_THAT(error_of([&] { plan_of(xp({{"on_conflict", "xp"}})); }), HasSubstr("xp.on_conflict"));
  EXPECT_THAT(error_of([&] { plan_of(xp({{"retries", -1}})); }), HasSubstr("xp.retries"));
  EXPECT_THAT(error_of([&] { plan_of(xp({{"secrets", List{"A B"}}})); }), HasSubstr("'A B'"));
  EXPECT_THAT(error_of([&] { plan_of(kd_base()); }), HasSubstr("--cfg="));
  EXPECT_THAT(error_of([&] { plan_of(Experiment{}); }), HasSubstr("xp.jobs"));
  EXPECT_THAT(error_of([&] {
                plan_of(Experiment{
                    .jobs = {{"j", Job{.target = "/bin/true", .args = {{"d", WU_DIR_PROXY}}}}}});
              }),
              HasSubstr("xp.root_dir"));
}

TEST(MakePlan, PythonFilesWorkAsTheyAre) {
  const base::TempFolder folder;
  const std::string file = (folder / "xp_config.py").string();
  std::ofstream(file) << R"(
from kauldron import konfig
with konfig.imports():
  from kauldron import kxm

def sweep_fn():
  for batch_size in [32, 64]:
    yield {'batch_size': batch_size}

def get_config() -> kxm.Experiment:
  return kxm.Experiment(
      root_dir='/path/{author}/kd/',
      jobs={
          'train': kxm.Job(
              target='/bin/true',
              args={'workdir': kxm.WU_DIR_PROXY, 'gin': kxm.file_path('a.gin')},
              files={'a.gin': '//xp_config.py'},
          )
      },
      sweep_info=kxm.SimpleSweep(sweep_fn),
      subdir_format=kxm.SubdirFormat(
          xp_dirname='{xid}-{name}', wu_dirname='{wid}-{sweep_kwargs}'),
  )
)";
  std::vector<std::string> args = {"--xp=" + file, "--xp.jobs.train.priority=25", "--xp.name=n"};
  const auto xp = load_experiment(flags::take_config_flag(args, "xp"), args);
  const Plan plan = make_plan(xp, {.xid = 3, .author = "me", .cwd = folder.path().string()});
  ASSERT_EQ(plan.units.size(), 2u);
  EXPECT_EQ(plan.units[1].dir, "/path/me/kd/3-n/2-batch_size=64");
  EXPECT_THAT(plan.units[1].jobs[0].argv,
              ElementsAre("/bin/true", "--workdir=/path/me/kd/3-n/2-batch_size=64",
                          "--gin=/path/me/kd/3-n/.kxm/files/a.gin", "--batch_size=64"));
  EXPECT_THAT(plan.tags, Contains("p:25"));
}

TEST(MakePlan, DataFilesNameTypesAsPeopleDo) {
  const base::TempFolder folder;
  for (const char* module : {"kxm.", "kxm:", "kauldron.kxm.", "kauldron.kxm:", "kauldron.xm:"}) {
    const std::string name = module;
    const std::string file = (folder / "xp.yaml").string();
    std::ofstream(file) << "__qualname__: " << name << "Experiment\n"
                        << "requirements: {__qualname__: xm.JobRequirements, cpu: 2}\n"
                        << "jobs:\n  j:\n    __qualname__: " << name << "Job\n"
                        << "    target: /bin/true\n"
                        << "    args: {dir: {__const__: " << name << "WU_DIR_PROXY}}\n"
                        << "sweep_info: {__qualname__: " << name
                        << "SimpleSweep, items: [{x: 1}]}\n";
    std::vector<std::string> args = {"--xp=" + file, "--xp.root_dir=/r",
                                     "--xp.debug.dump_hlo=false"};
    const auto xp = load_experiment(flags::take_config_flag(args, "xp"), args);
    const Plan plan = plan_of(xp);
    EXPECT_THAT(plan.units[0].jobs[0].argv, ElementsAre("/bin/true", "--dir=/r/7/1", "--x=1"))
        << name;
    EXPECT_EQ(plan.units[0].jobs[0].resources.cpus, 2) << name;
  }
}

TEST(MakePlan, ArgumentsOfGetConfigAreSwept) {
  const base::TempFolder folder;
  const std::string file = (folder / "cfg.py").string();
  auto config_of = [&](const char* sweep) {
    std::ofstream(file) << R"(
import dataclasses
from kauldron import konfig

@dataclasses.dataclass
class ConfigArgs:
  size: int = 1

def get_config(args=ConfigArgs()):
  sizes = {"size_%d" % args.size: args.size}
  return konfig.ConfigDict({"lr": 0.5, "sizes": sizes, "evals": {}})

def sweep():
  for s in (1, 2):
    yield )" << sweep << "\n";
    return load_config({.source = file, .overrides = {{"lr", 0.25}}});
  };
  LoadedConfig config = config_of(R"({"__args__.size": s})");
  const auto context = [&] {
    PlanContext out{.xid = 7, .config = &config, .kd = "/bin/kd", .cwd = "/w"};
    out.kept_path = [](const KeptFile& kept) { return "/kept/" + kept.name; };
    return out;
  };
  const Plan plan = make_plan(kd_base({{"sweep", true}}), context());
  ASSERT_EQ(plan.units.size(), 2u);
  EXPECT_THAT(plan.units[1].jobs[0].argv, ElementsAre("/bin/kd", "train", "--cfg=/kept/config.py",
                                                      "--cfg.workdir=/w/runs/7/2-__args__.size=2",
                                                      "--cfg.lr=0.25", "--cfg.__args__.size=2"));
  EXPECT_EQ(plan.files[0].source, file);
  EXPECT_EQ(plan.title, "cfg");

  // The second config has no size_1.
  config = config_of(R"({"__args__.size": s, "sizes.size_1.x": 5})");
  EXPECT_THAT(error_of([&] {
                make_plan(kd_base({{"sweep", true}}), context());
              }),
              HasSubstr("unit 1"));
}

TEST(MakePlan, ArgumentsOfGetConfigMayChangeTheJobs) {
  const base::TempFolder folder;
  const std::string file = (folder / "cfg.py").string();
  std::ofstream(file) << R"(
import dataclasses
from kauldron import konfig
with konfig.imports():
  from kauldron import kd, kxm

@dataclasses.dataclass
class ConfigArgs:
  alone: bool = False
  size: int = 1

def get_config(args=ConfigArgs()):
  run = kd.evals.StandaloneEveryCheckpoint() if args.alone else kd.evals.EveryNSteps(5)
  return konfig.ConfigDict({"size": args.size, "evals": {"e": {"run": run}},
                            "xm_job": kxm.Job(platform="gpu=%d" % args.size)})

def sweep():
  yield {"__args__.alone": True}
  yield {"__args__.size": 2}
  yield {"__args__.size": 1}
  yield {"__args__.size": 2, "xm_job.platform": "gpu=3"}
)";
  const LoadedConfig config = load_config({.source = file});
  const Plan plan =
      make_plan(kd_base({{"sweep", true}}),
                {.xid = 7, .config = &config, .cwd = "/w", .kept_path = [](const KeptFile& kept) {
                   return "/kept/" + kept.name;
                 }});
  ASSERT_EQ(plan.units.size(), 4u);
  ASSERT_EQ(plan.units[0].jobs.size(), 2u);
  EXPECT_EQ(plan.units[0].jobs[1].name, "e");
  EXPECT_EQ(plan.units[1].jobs.size(), 1u);
  EXPECT_EQ(plan.units[1].jobs[0].resources.gpus, 2);
  EXPECT_EQ(plan.units[2].jobs[0].resources.gpus, 1);
  EXPECT_EQ(plan.units[3].jobs[0].resources.gpus, 3);
}

TEST(MakePlan, EveryArgumentOfGetConfigIsTried) {
  const base::TempFolder folder;
  const std::string file = (folder / "cfg.py").string();
  std::ofstream(file) << R"(
import dataclasses
from kauldron import konfig

@dataclasses.dataclass
class ConfigArgs:
  size: int = 1

def get_config(args=ConfigArgs()):
  if args.size == 77:
    raise ValueError("77 is too much")
  return konfig.ConfigDict({"lr": 0.5, "evals": {}})

def sweep():
  for s in range(70):
    yield {"__args__.size": s, "lr": 0.1}

def sweep_wrong():
  for s in range(80):
    yield {"__args__.size": s}
)";
  const LoadedConfig config = load_config({.source = file});
  std::vector<std::pair<int, int>> heard;
  auto plan = [&](const char* sweep) {
    return make_plan(kd_base({{"sweep", sweep}}),
                     {.xid = 7,
                      .config = &config,
                      .kd = "/bin/kd",
                      .cwd = "/w",
                      .kept_path = [](const KeptFile& kept) { return "/kept/" + kept.name; },
                      .on_load = [&](int done, int all) { heard.emplace_back(done, all); }});
  };
  EXPECT_EQ(plan("").units.size(), 70u);
  EXPECT_THAT(heard, ElementsAre(Pair(64, 70), Pair(70, 70)));
  // The configs that are known already are not loaded again.
  heard.clear();
  EXPECT_THAT(error_of([&] { plan("wrong"); }),
              AllOf(HasSubstr("unit 78 (__args__.size=77)"), HasSubstr("77 is too much")));
  EXPECT_THAT(heard, ElementsAre(Pair(10, 10)));
}

TEST(MakePlan, OnlySweepsThatAreAskedForMayFail) {
  const base::TempFolder folder;
  const std::string file = (folder / "cfg.py").string();
  std::ofstream(file) << R"(
from kauldron import konfig

def get_config():
  return konfig.ConfigDict({"lr": 0.5, "evals": {}})

def sweep_good():
  yield {"lr": 0.1}

def sweep_bad():
  yield {"lr": 1 / 0}
)";
  auto units = [&](const konfig::Value& sweep) {
    const LoadedConfig config = load_config({.source = file});
    return plan_of(kd_base({{"sweep", sweep}}), &config).units.size();
  };
  EXPECT_EQ(units("good"), 1u);
  EXPECT_EQ(units(List()), 1u);
  EXPECT_THAT(error_of([&] { units("bad"); }), HasSubstr("ZeroDivisionError"));
  EXPECT_THAT(error_of([&] { units("*"); }), HasSubstr("ZeroDivisionError"));
  EXPECT_THAT(error_of([&] { units("god"); }),
              AllOf(HasSubstr("did you mean 'good'"), HasSubstr("sweep_bad, sweep_good")));
}

TEST(MakePlan, TheReferencesPathsMeanOurs) {
  for (const char* source : {"single", "kauldron/xm/configs/single.py"}) {
    std::vector<std::string> args = {std::string("--xp=") + source, "--xp.target=/bin/true"};
    const auto xp = load_experiment(flags::take_config_flag(args, "xp"), args);
    EXPECT_THAT(plan_of(xp).units[0].jobs[0].argv, ElementsAre("/bin/true")) << source;
  }
  std::vector<std::string> args = {"--xp=singel"};
  EXPECT_THAT(error_of([&] { load_experiment(flags::take_config_flag(args, "xp"), args); }),
              HasSubstr("did you mean 'single'"));
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

// ---- Components of one's own.

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

}  // namespace
}  // namespace kxm
