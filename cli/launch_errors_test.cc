// What kd launch refuses, each with its exit code and the first line that it says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "cli/program.h"
#include "cli/spawn_test.h"
#include "kxm/state.h"

namespace cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kConfig = R"(
from kauldron import konfig
with konfig.imports():
  from kauldron import kd, kxm

def get_config():
  evals = {
      "a": {"run": kd.evals.StandaloneEveryCheckpoint(job_group="g", platform="cpu=1")},
      "b": {"run": kd.evals.StandaloneEveryCheckpoint(job_group="g", platform="cpu=2")},
  }
  return konfig.ConfigDict({"seed": 0, "model": {"dim": 1}, "evals": evals,
                            "xm_job": kxm.Job(priority=100)})

def sweep_seed():
  yield {"seed": 1}
)";

class LaunchErrors : public testing::Test {
 protected:
  LaunchErrors() { write_text(folder_ / "groups.py", kConfig); }
  // The first line of what is refused, without "kd: error: ".
  std::string refused(std::vector<std::string> args) const {
    args.insert(args.begin(), "launch");
    const Outcome run =
        kd(args, {.env = {{"KD_STATE", folder_ / "state"}}, .folder = folder_.path()});
    EXPECT_EQ(run.code, kUsage) << run.out;
    const kxm::State state(folder_ / "state", kxm::State::Open::read);
    EXPECT_TRUE(state.experiments().empty()) << "nothing is recorded";
    const std::string line = run.first_error_line();
    EXPECT_THAT(line, StartsWith("kd: error: "));
    return line.substr(std::min<std::size_t>(line.size(), 11));
  }
  // With one job, and arguments of the experiment.
  std::string one_job(std::vector<std::string> args) const {
    args.insert(args.begin(), {"--xp=single", "--xp.target=/bin/true"});
    return refused(args);
  }
  std::string trained(std::vector<std::string> args) const {
    args.insert(args.begin(), "--cfg=mnist_autoencoder");
    return refused(args);
  }
  TempFolder folder_;
};

TEST_F(LaunchErrors, ParametersOfJobs) {
  EXPECT_EQ(trained({"--xp.priority=200", "--cfg.xm_job.priority=100"}),
            "job 'train': --xp.priority is 200, but --cfg.xm_job.priority is 100: conflicting "
            "values; give one of them, or --xp.on_conflict=job to let the job's count");
  EXPECT_THAT(refused({"--cfg=groups.py"}),
              StartsWith("job_group 'g': its evaluators share one job: --cfg.evals.a.run.platform "
                         "is 'cpu=1', but --cfg.evals.b.run.platform is 'cpu=2': conflicting "
                         "values; give both the same, or each a job_group of its own"));
  EXPECT_EQ(one_job({"--xp.platform=jf=2x2"}),
            "job 'main': platform 'jf=2x2': there are no TPUs here, and libtorch does not run on "
            "them; use a GPU (gpu=1, a100=1) or cpu");
  EXPECT_EQ(one_job({"--xp.requirements.a100=1", "--xp.requirements.v100=1"}),
            "job 'main': requirements: a100=1 and v100: a job has one kind of accelerator; give "
            "one of them");
  EXPECT_THAT(refused({"--xp=single", "--xp.target=//a:b"}),
              StartsWith("//dir:name is a target of a CMake project, and "));
  EXPECT_THAT(refused({"--xp=single", "--xp.use_interpreter"}),
              StartsWith("job 'main': use_interpreter: no script to run; name one"));
}

// Known before a number is used for them, too.
TEST_F(LaunchErrors, TargetsOfAProject) {
  write_text(folder_ / "CMakeLists.txt",
             "cmake_minimum_required(VERSION 3.25)\nproject(small LANGUAGES C)\n"
             "add_executable(trainer main.c)\n");
  write_text(folder_ / "main.c", "int main(void) { return x; }\n");
  // CMake's own output comes first.
  const auto refused_last = [&](const std::string& target) {
    const Outcome run = kd({"launch", "--xp=single", "--xp.target=" + target},
                           {.env = {{"KD_STATE", folder_ / "state"}}, .folder = folder_.path()});
    EXPECT_EQ(run.code, kUsage) << run.err;
    EXPECT_EQ(kxm::State(folder_ / "state").next_xid(), 1);
    return run.err.substr(run.err.find("kd: error: "));
  };
  EXPECT_EQ(refused_last("//:trainre"), "kd: error: no program '//:trainre' in the project " +
                                            folder_.path() + "; did you mean '//:trainer'?\n");
  EXPECT_THAT(refused_last("//:trainer"), EndsWith("` failed; see its output above\n"));
}

// Slurm's programs are there, and no cluster is.
TEST_F(LaunchErrors, SlurmWithoutACluster) {
  fs::create_directories(folder_ / "bin");
  write_text(folder_ / "bin/sinfo",
             "#!/bin/sh\necho 'sinfo: error: fetch_config: DNS SRV lookup failed' >&2\n"
             "echo 'sinfo: fatal: Could not establish a configuration source' >&2\nexit 1\n");
  fs::permissions(folder_ / "bin/sinfo", fs::perms::owner_all);
  const Outcome run = kd({"launch", "--on=slurm", "--xp=single", "--xp.target=/bin/true"},
                         {.env = {{"KD_STATE", folder_ / "state"},
                                  {"PATH", folder_ / "bin:" + std::string(std::getenv("PATH"))}},
                          .folder = folder_.path()});
  EXPECT_EQ(run.code, kUsage);
  EXPECT_EQ(run.err,
            "kd: error: Slurm cannot be used here: sinfo says 'Could not establish a configuration "
            "source'; set SLURM_CONF to the slurm.conf of the cluster, or use --on=local\n");
  EXPECT_EQ(kxm::State(folder_ / "state").next_xid(), 1);
}

TEST_F(LaunchErrors, SlurmWithoutSoMuchTime) {
  fs::create_directories(folder_ / "bin");
  write_text(folder_ / "bin/sinfo", "#!/bin/sh\necho 'short|4|8000|gpu:a100:2|10:00|2|idle'\n");
  fs::permissions(folder_ / "bin/sinfo", fs::perms::owner_all);
  const Outcome run = kd({"launch", "--on=slurm", "--xp=single", "--xp.target=/bin/true",
                          "--xp.platform=a100=1", "--xp.requirements.time=2d"},
                         {.env = {{"KD_STATE", folder_ / "state"},
                                  {"PATH", folder_ / "bin:" + std::string(std::getenv("PATH"))}},
                          .folder = folder_.path()});
  EXPECT_EQ(run.code, kUsage);
  EXPECT_EQ(
      run.err,
      "kd: error: job 'main': no node of this cluster has 1 a100 GPU, 2 d of time; the "
      "longest time limit there is 10 min; lower requirements.time, or choose another place\n");
}

// Slurm's programs would wait for the file, each for a minute.
TEST_F(LaunchErrors, SlurmWithAConfigurationThatIsNotThere) {
  const Outcome run =
      kd({"launch", "--on=slurm", "--xp=single", "--xp.target=/bin/true"},
         {.env = {{"KD_STATE", folder_ / "state"}, {"SLURM_CONF", folder_ / "slurm.conf"}},
          .folder = folder_.path()});
  EXPECT_EQ(run.code, kUsage);
  EXPECT_EQ(run.err, "kd: error: Slurm cannot be used here: SLURM_CONF names " +
                         folder_ / "slurm.conf" +
                         ", which does not exist; set it to the slurm.conf of the cluster, or use "
                         "--on=local\n");
}

TEST_F(LaunchErrors, Sweeps) {
  EXPECT_EQ(trained({"--sweep.sed=[1]"}),
            "unit 1 (sed=1): --cfg.sed=1: kd::train::Trainer has no field 'sed'; did you mean "
            "'seed'?");
  EXPECT_EQ(trained({"--cfg.train_ds.batch_size=1", "--sweep.train_ds=[{}]"}),
            "job 'train': --cfg.train_ds (swept) and --cfg.train_ds.batch_size (given for all "
            "units): one is inside the other; set both in one value");
  EXPECT_THAT(trained({"--sweep.xm_job.requirements.cpu=[1,9999]"}),
              AllOf(StartsWith("unit 2 (xm_job.requirements.cpu=9999): job 'train': asks for 9999"),
                    EndsWith("; lower its requirements, or use --on=slurm")));
  EXPECT_EQ(trained({"--cfg.seed=[1,2]"}),
            "--cfg.seed=[1,2]: seed: the field holds int and cannot take [1, 2] of type list; give "
            "it a whole number, or run a unit for each value: --sweep.seed=[1,2]");
  EXPECT_THAT(trained({"--xp.sweep=lr"}), StartsWith("xp.sweep: no function 'sweep_lr()' in "));
  EXPECT_THAT(
      one_job({"--xp.sweep_info=py::kxm.KauldronSweep()", "--xp.sweep"}),
      StartsWith("xp.sweep: KauldronSweep takes the sweeps of a config, and there is none"));
}

// The maps are there before they hold anything.
TEST_F(LaunchErrors, MapsOfStandaloneEvaluators) {
  EXPECT_THAT(refused({"--cfg=mnist_standalone_eval", "--cfg.evals.eval1.run.env_vars.A=b",
                       "--cfg.evals.eval1.run.args.x=1", "--xp.args.x=2"}),
              HasSubstr("--xp.args.x is 2, but --cfg.evals.eval1.run.args.x is 1: conflicting"));
}

// Its value would reach nothing.
TEST_F(LaunchErrors, ASweptArgumentWithoutConfigArgs) {
  write_text(folder_ / "plain.py",
             "from kauldron import konfig\n\n\ndef get_config(size=1):\n"
             "  return konfig.ConfigDict({'seed': size})\n");
  EXPECT_THAT(refused({"--cfg=plain.py", "--sweep.__args__.size=[2]"}),
              AllOf(StartsWith("unit 1 (__args__.size=2): "),
                    HasSubstr("__args__ has no effect: the file defines no ConfigArgs")));
}

TEST_F(LaunchErrors, Flags) {
  const auto tried = [&](const std::string& arg) {
    const Outcome run = kd({"launch", "--xp=single", arg});
    EXPECT_EQ(run.code, kUsage);
    return run.err;
  };
  EXPECT_EQ(tried("--sweep.x=3"),
            "kd: error: --sweep.x: expected a list of values, got '3'; write --sweep.x=[1,2,3]\n"
            "Try: kd launch --help\n");
  EXPECT_EQ(one_job({"--lr=3"}),
            "unknown flag --lr; an argument of the program is set with --xp.args.lr=..., and swept "
            "with --sweep.lr=[...]");
  EXPECT_EQ(trained({"--dim=3"}),
            "unknown flag --dim; a field of the config is set with --cfg.dim=..., and swept with "
            "--sweep.dim=[...]");
  EXPECT_EQ(trained({"--max_parallel=3"}),
            "unknown flag --max_parallel; did you mean --xp.max_parallel?");
  EXPECT_EQ(trained({"--swep.seed=[1]"}), "unknown flag --swep.seed; did you mean '--sweep'?");
  EXPECT_EQ(trained({"--sweep.seed=[\"\xff\"]"}),
            "--sweep.seed: its values are not valid UTF-8, so that no record can hold them");
  EXPECT_EQ(trained({"--sweep=[1,2]"}),
            "--sweep: name what is swept: --sweep.PATH=[1,2,3]; --xp.sweep runs the sweeps of the "
            "config");
  EXPECT_EQ(trained({"seed=1,2"}),
            "unexpected argument 'seed=1,2'; a field of the config is set with --cfg.seed=..., and "
            "swept with --sweep.seed=[...]");
  EXPECT_EQ(one_job({"--xp.max_parallel=0"}), "xp.max_parallel: expected 1 or more, got 0");
  EXPECT_EQ(trained({"--dryrun"}), "unknown flag --dryrun; did you mean '--dry_run'?");
}

// As `kd train` would refuse them.
TEST_F(LaunchErrors, CommandLinesOfJobs) {
  EXPECT_EQ(trained({"--threads=0"}), "--threads: expected a whole number from 1, got '0'");
  EXPECT_EQ(trained({"--device=gpu"}), "device 'gpu': expected cpu");
  EXPECT_EQ(trained({"--xp.args.threads=0"}),
            "unit 1, job 'train': --threads: expected a whole number from 1 to 1024, got '0'");
  EXPECT_EQ(trained({"--cfg.xm_job.args.thread=1", "--sweep.seed=[1,2]"}),
            "unit 1, job 'train': unknown flag --thread; did you mean '--threads'?");
  EXPECT_THAT(trained({"--patch.batch_sise=1"}),
              StartsWith("unit 1, job 'train': --patch.batch_sise"));
  EXPECT_THAT(trained({"--patch.batch_size=all"}),
              HasSubstr("patch.batch_size: expected a whole number or"));
}

// Known before a number is used for them.
TEST_F(LaunchErrors, NamesOfJobs) {
  const auto named = [&](const std::string& name) {
    write_text(folder_ / "xp.json",
               R"({"__qualname__": "kauldron.kxm:Experiment", "jobs": {")" + name +
                   R"(": {"__qualname__": "kauldron.kxm:Job", "target": "/bin/true"}}})");
    return refused({"--xp=xp.json"});
  };
  EXPECT_THAT(named(std::string(300, 'a')),
              HasSubstr("its folder is called after it, with 300 letters, but the name of a folder "
                        "has at most 255; shorten it"));
  EXPECT_THAT(named("a\\u0000b"), HasSubstr("a job cannot be called so"));
  EXPECT_THAT(named("a/b"), StartsWith("unit 1: job 'a/b': a job cannot be called so"));
  EXPECT_EQ(kxm::State(folder_ / "state").next_xid(), 1);
}

TEST_F(LaunchErrors, AStateThatIsAFile) {
  write_text(folder_ / "file", "");
  const auto with_file = [&](const std::vector<std::string>& args) {
    return kd(args, {.env = {{"KD_STATE", folder_ / "file"}}});
  };
  const std::string expected = "kd: error: " + (folder_ / "file") +
                               ": is not a folder; the state is kept in a folder, which KD_STATE "
                               "may name";
  Outcome run = with_file({"status"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_EQ(run.first_error_line(), expected);
  run = with_file({"launch", "--xp=single", "--xp.target=/bin/true"});
  EXPECT_EQ(run.code, kUsage);
  EXPECT_EQ(run.first_error_line(), expected);
}

TEST_F(LaunchErrors, WhatWouldNotCount) {
  const std::string args = "--cfg=configargs_demo:hidden=3";
  EXPECT_EQ(refused({args, "--sweep.__args__.hidden=[5]"}),
            args +
                " and --sweep.__args__.hidden: one value for all units, and one for each; leave "
                "out one of these flags");
  EXPECT_EQ(one_job({"--xp.tensorboard"}),
            "xp.tensorboard: it shows the experiment's folder, and there is none; give one, for "
            "example --xp.root_dir=runs");
}

TEST_F(LaunchErrors, Folders) {
  EXPECT_EQ(one_job({"--xp.root_dir="}),
            "xp.root_dir: expected a folder, got ''; --xp.root_dir=. is the one you are in");
  EXPECT_EQ(trained({"--cfg.workdir=a", "--sweep.seed=[1,2]"}),
            "--cfg.workdir=" + (folder_ / "a") +
                ": 2 units would share this folder; use --xp.root_dir=" + (folder_ / "a") +
                " instead: every unit gets a folder below it");
  EXPECT_THAT(one_job({"--xp.args.d=__kxm_wu_workdir__"}),
              StartsWith("xp.root_dir: not set, but a job uses the folder of its unit"));
  EXPECT_THAT(trained({"--xp.subdir_format.wu_dirname={wdi}"}),
              HasSubstr("xp.subdir_format.wu_dirname: "));
}

}  // namespace
}  // namespace cli
