// Plans of experiments and configs that are files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/temp_folder.h"
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
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

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

// The system would only say that there is no such file, and only when the job starts.
TEST(MakePlan, ScriptsWithWindowsLineEnds) {
  const base::TempFolder folder;
  const std::filesystem::path file = folder / "train.sh";
  std::ofstream(file) << "#!/bin/sh\r\ntrue\r\n";
  const Experiment xp{.jobs = {{"a", Job{.target = file.string()}}}};
  for (const auto mode : {std::filesystem::perms::owner_all, std::filesystem::perms::owner_read}) {
    std::filesystem::permissions(file, mode);
    EXPECT_THAT(error_of([&] { plan_of(xp); }),
                AllOf(HasSubstr("train.sh end as on Windows (CRLF)"), HasSubstr("dos2unix")));
  }
}

// What docs/kxm.md calls them, where nothing tells a name from a text.
// Names with points are those of arguments, and jobs may be those of the config.
TEST(MakePlan, NamesInFlagsOfTheExperiment) {
  const LoadedConfig config = loaded(trainer());
  const auto argv_of = [&](std::vector<std::string> args) {
    konfig::ConfigDict xp = load_experiment(flags::take_config_flag(args, "xp"), args);
    const bool trains = !xp.get("jobs_provider", konfig::None()).is_none();
    return make_plan(xp, {.config = trains ? &config : nullptr, .kd = "/bin/kd"})
        .units.at(0)
        .jobs.at(0)
        .argv;
  };
  EXPECT_THAT(argv_of({"--xp=single", "--xp.target=/bin/echo", "--xp.args.model.dim=3",
                       "--xp.args.model.size=2", "--xp.jobs.main.args.a.b=1"}),
              ElementsAre("/bin/echo", "--model.dim=3", "--model.size=2", "--a.b=1"));
  EXPECT_THAT(argv_of({"--xp=kd_base", "--xp.jobs.train.args.threads=2"}), Contains("--threads=2"));
  EXPECT_EQ(error_of([&] {
              argv_of({"--xp=kd_base", "--xp.jobs.trian.priority=1"});
            }),
            "xp.jobs.trian: the config has no such job; did you mean 'train'? (it has train); a "
            "job of your own needs a target: --xp.jobs.trian.target=./eval.sh");
}

TEST(MakePlan, ProxiesAreTypedByName) {
  const base::TempFolder folder;
  const std::string file = (folder / "xp.yaml").string();
  std::ofstream(file) << "__qualname__: kxm.Experiment\n"
                      << "root_dir: /r\n"
                      << "jobs:\n  j:\n    __qualname__: kxm.Job\n"
                      << "    target: /bin/true\n"
                      << "    args: {a: kxm.WU_DIR_PROXY, b: [kxm.XP_DIR_PROXY/x, 1]}\n"
                      << "    files: {n: " << file << "}\n"
                      << "    env_vars: {V: kxm.WU_DIR_PROXY}\n";
  std::vector<std::string> args = {
      "--xp=" + file,
      "--xp.args.c=kxm.WU_DIR_PROXY/out",
      "--xp.args.d={__const__: kxm.WU_DIR_PROXY}",
      "--xp.args.e=kxm.file_path('n')",
      "--xp.args.f=kxm.file_path(\"n\")",
      "--xp.args.g=my.kxm.WU_DIR_PROXY kxm.WU_DIR_PROXYS kxm.file_path(n)"};
  const auto xp = load_experiment(flags::take_config_flag(args, "xp"), args);
  const Plan plan =
      make_plan(xp, {.xid = 7, .sweep = {Dict{{"s", "kxm.XP_DIR_PROXY/s"}}}, .cwd = "/w"});
  const PlannedJob& job = plan.units[0].jobs[0];
  EXPECT_THAT(job.argv, ElementsAre("/bin/true", "--c=/r/7/1/out", "--d=/r/7/1",
                                    "--e=/r/7/.kxm/files/n", "--f=/r/7/.kxm/files/n",
                                    "--g=my.kxm.WU_DIR_PROXY kxm.WU_DIR_PROXYS kxm.file_path(n)",
                                    "--a=/r/7/1", "--b=[\"/r/7/x\", 1]", "--s=/r/7/s"));
  EXPECT_EQ(job.env.at("V"), "/r/7/1");
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

}  // namespace
}  // namespace kxm
