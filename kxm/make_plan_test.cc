#include "kxm/make_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/temp_folder.h"
#include "konfig/expect_test.h"
#include "kxm/borg.h"
#include "kxm/make_plan_test.h"
#include "kxm/proxies.h"

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
  EXPECT_THAT(error_of([&] { plan_of(xp); }),
              HasSubstr("--xp.platform is 'a100=4', but --xp.jobs.j.requirements.gpu is 1"));
  Experiment wins = xp;
  wins.on_conflict = OnConflict::job;
  const Plan plan = plan_of(wins);
  EXPECT_EQ(plan.units[0].jobs[0].resources, (Resources{.cpus = 4, .memory = 1 << 30, .gpus = 1}));
  EXPECT_EQ(plan.jobs[0].second.at("platform"), konfig::Value("gpu=1"));
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

TEST(MakePlan, FoldersElsewhereAreNamed) {
  auto plan = [](const std::string& wu_dirname, const PlanContext& context) {
    const Experiment xp{.jobs = {{"a", Job{.target = "/bin/echo", .args = {{"d", WU_DIR_PROXY}}}}},
                        .root_dir = "runs",
                        .subdir_format = SubdirFormat{.wu_dirname = wu_dirname},
                        .sweep_info = SimpleSweep{List{Dict{{"x", 1}}, Dict{{"x", 2}}}}};
    return make_plan(xp, context);
  };
  const Plan outside = plan("../../x", {.xid = 7, .cwd = "/w"});
  EXPECT_EQ(outside.units[0].dir, "/w/x");
  EXPECT_EQ(outside.units[1].dir, "/w/x-2");
  EXPECT_THAT(outside.warnings,
              ElementsAre("xp.subdir_format.wu_dirname: /w/x is outside of the experiment's folder "
                          "/w/runs/7"));
  const Plan inside = plan("all/../one", {.xid = 7, .cwd = "/w"});
  EXPECT_EQ(inside.units[0].dir, "/w/runs/7/one");
  EXPECT_EQ(inside.units[1].dir, "/w/runs/7/one-2");
  EXPECT_THAT(inside.warnings, IsEmpty());
  // Folders of another experiment.
  const auto owner = [](const std::string& dir) { return dir == "/w/x-2" ? "3/1" : ""; };
  EXPECT_EQ(error_of([&] { plan("../../x", {.xid = 7, .cwd = "/w", .owner = owner}); }),
            "unit 2: xp.subdir_format.wu_dirname: /w/x-2 is the folder of 3/1; go on with that by "
            "`kd resume 3/1`, or choose another folder");
}

// Wherever one stands, and whatever the flags say.
TEST(MakePlan, AnExperimentKeepsItsFolder) {
  const Experiment xp{.jobs = {{"a", Job{.target = "/bin/echo", .args = {{"d", WU_DIR_PROXY}}}}}};
  PlanContext context{.xid = 6, .existing_units = 2, .existing_dir = "/w/runs/6", .cwd = "/v"};
  Plan plan = make_plan(xp, context);
  EXPECT_EQ(plan.dir, "/w/runs/6");
  EXPECT_EQ(plan.units[0].dir, "/w/runs/6/3");
  EXPECT_THAT(plan.warnings, IsEmpty());
  Experiment other = xp;
  other.root_dir = "runs";
  plan = make_plan(other, context);
  EXPECT_EQ(plan.units[0].dir, "/w/runs/6/3");
  EXPECT_THAT(plan.warnings,
              ElementsAre("xp.root_dir: not used: experiment 6 keeps its folder /w/runs/6"));
}

TEST(MakePlan, FilesOfAJobAreNamed) {
  auto plan = [](const ConfigDict& files) {
    return plan_of(Experiment{.jobs = {{"a", Job{.target = "/bin/echo",
                                                 .args = {{"gin", file_path("nope")}},
                                                 .files = files}}}});
  };
  EXPECT_EQ(
      error_of([&] { plan({}); }),
      "job 'a': kxm.file_path(\"nope\"): the job has no files; name it in `files` of the job");
  EXPECT_THAT(error_of([&] {
                plan({{"x.gin", "/bin/sh"}});
              }),
              HasSubstr("the job's files are x.gin;"));
}

TEST(MakePlan, RootsThatAreNoFolders) {
  auto plan = [](const std::string& root) {
    return plan_of(Experiment{.jobs = {{"a", Job{.target = "/bin/true"}}}, .root_dir = root});
  };
  EXPECT_EQ(error_of([&] { plan("~/r"); }),
            "xp.root_dir: '~/r' is not a folder of this machine; write $HOME for ~");
  EXPECT_THAT(error_of([&] { plan("gs://b/x"); }), HasSubstr("mount it first"));
  EXPECT_EQ(plan("~me").dir, "/w/~me/7");
}

TEST(MakePlan, NamesFitATable) {
  auto plan = [](const std::string& name) {
    return plan_of(Experiment{.name = name, .jobs = {{"a", Job{.target = "/bin/true"}}}});
  };
  EXPECT_EQ(plan(std::string(200, 'x')).title.size(), 200u);
  EXPECT_THAT(error_of([&] { plan(std::string(201, 'x')); }), HasSubstr("201 bytes, at most 200"));
  EXPECT_THAT(error_of([&] { plan(""); }), HasSubstr("xp.name: expected a name"));
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
  for (const char* platform : {"jf=2x2", "tpu", "tpu_v7=8", "TPU=2x2"}) {
    EXPECT_THAT(error_of([&] { argv_of({.target = "true", .platform = platform}); }),
                HasSubstr("no TPUs"))
        << platform;
  }

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

TEST(MakePlan, RequirementsWithoutEffectAreRemarkedOn) {
  const Job job{.target = "/bin/true",
                .requirements = {{"cpu", 1}, {"disk", "1GiB"}, {"service_tier", "PROD"}}};
  EXPECT_THAT(plan_of(Experiment{.jobs = {{"j", job}, {"k", job}}}).warnings,
              ElementsAre("requirements.disk: accepted, not used",
                          "requirements.service_tier: accepted, not used"));
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

}  // namespace
}  // namespace kxm
