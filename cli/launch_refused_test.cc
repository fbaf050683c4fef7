// What kd launch and kd resume refuse, and that nothing is left of it.
#include <filesystem>

#include "cli/launch_test.h"
#include "cli/program.h"

namespace cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(Launch, ManyUnitsAreConfirmed) {
  write_script("job.sh", "echo $* >> ran\n");
  std::string many = "[0";
  for (int i = 1; i <= 100; ++i) many += "," + std::to_string(i);
  many += "]";
  Outcome run = launch({"--xp=single", "--xp.target=./job.sh", "--sweep.x=" + many});
  EXPECT_EQ(run.code, kUsage);
  EXPECT_EQ(run.first_error_line(),
            "kd: error: launch 101 units of job.sh? There is no terminal to ask: add --yes");
  EXPECT_THAT(folder_.names(), Not(::testing::Contains("ran")));
}

TEST_F(Launch, WhatIsWrongIsSaidBeforeAnythingStarts) {
  write_script("job.sh", "echo $* >> ran\n");
  write_text(folder_ / "no_program", "");
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "what is to be launched? A config: --cfg=..., or an experiment: --xp=..."},
      {{"--xp=single"}, "job 'main': no target"},
      {{"--xp=singel"}, "did you mean 'single'"},
      {{"--xp=single", "--xp.target=./nothing"}, "there is no "},
      {{"--xp=single", "--xp.target=./no_program"}, "chmod +x"},
      {{"--xp=single", "--xp.target=./job.sh", "--on=moon"},
       "--on: expected local or slurm, got 'moon'"},
      {{"--xp=single", "--xp.target=./job.sh", "--xp.xid=7"}, "there is no experiment 7"},
      {{"--xp=single", "--xp.target=./job.sh", "--xp.retrise=1"}, "did you mean 'retries'"},
      {{"--xp=single", "--xp.target=./job.sh", "--xp.retries=x"}, ": xp.retries: expected a whole"},
      {{"--xp=single", "--xp.target=./job.sh", "--xp.platform=tpu"}, "no TPUs here"},
      {{"--xp=single", "--xp.target=./job.sh", "--zip", "--sweep.x=[1]"}, "there is only one"},
      {{"--xp=single", "--xp.target=./job.sh", "--sweep.x=1"}, "write --sweep.x=[1,2,3]"},
      {{"--xp=single", "--xp.target=./job.sh", "--xp.requirements.cpu=100000"}, "100000"},
      {{"--xp=single", "--xp.target=./job.sh", "--xp.secrets=[\"KD_NO_SUCH\"]"},
       "KD_NO_SUCH is not set"},
      {{"--cfg=mnist_autoencoder", "--cfg.workdir=a", "--sweep.seed=[1,2]"},
       "2 units would share this folder; use --xp.root_dir="},
      {{"--cfg=mnist_autoencoder", "--cfg.workdir="}, "cfg.workdir: expected a folder, got \"\""},
      {{"--cfg=mnist_autoencoder", "--sweep.workdir=[a,a]"}, "is the folder of another unit"},
      {{"--cfg=mnist_autoencoder", "--sweep.sed=[1]"}, "did you mean 'seed'"},
      {{"--cfg=mnist_autoencoder", "--cfg.sed=1"}, "did you mean 'seed'"},
      {{"--cfg=mnist_autoencoder", "--cfg.model.inputs=x", "--sweep.model=[1]"}, "model"},
  };
  for (auto& [args, text] : cases) {
    const Outcome run = launch(args);
    EXPECT_EQ(run.code, kUsage) << text;
    EXPECT_THAT(run.err, AllOf(HasSubstr("kd: error: "), HasSubstr(text)));
  }
  EXPECT_THAT(folder_.names(), Not(::testing::Contains("ran")));
  const Outcome run = resume("7");
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.first_error_line(),
              ::testing::StartsWith("kd: error: there is no experiment 7: "));
}

TEST_F(Launch, ARefusedResumeChangesNothing) {
  write_script("job.sh", "exit 1\n");
  const std::vector<std::string> args = {"launch", "--xp=single", "--xp.target=./job.sh",
                                         "--xp.secrets=[\"KD_TEST_KEY\"]"};
  EXPECT_EQ(kd(args, {.env = {{"KD_TEST_KEY", "1"}}, .folder = folder_.path()}).code, kFailure);
  const std::string before = kd({"status", "1", "--format=json"}).out;
  for (const char* more : {"--quiet", "--detach"}) {
    const Outcome run = kd({"resume", "1", more}, {.folder = folder_.path()});
    EXPECT_EQ(run.code, kUsage);
    EXPECT_EQ(run.first_error_line(),
              "kd: error: xp.secrets: the environment variable KD_TEST_KEY is not set; export it "
              "first");
  }
  EXPECT_EQ(kd({"status", "1", "--format=json"}).out, before);
}

// Where the results cannot be written nothing is left of the launch.
TEST_F(Launch, ALaunchThatCannotBeRecordedIsNotListed) {
  write_script("job.sh", "true\n");
  fs::create_directories(folder_ / "runs/all/.kxm");
  write_text(folder_ / "runs/all/.kxm/store", "a file in the place of the folder");
  write_text(folder_ / "xp.json",
             R"({"__qualname__": "kauldron.kxm:Experiment", "root_dir": "runs",
                 "jobs": {"main": {"__qualname__": "kauldron.kxm:Job", "target": "./job.sh",
                 "args": {"workdir": {"__const__": "kauldron.kxm:WU_DIR_PROXY"}}}}})");
  const Outcome run = launch({"--xp=xp.json", "--xp.subdir_format.xp_dirname=all"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.err, HasSubstr("runs/all/.kxm/store"));
  EXPECT_EQ(kd({"status"}).out, "nothing was launched yet; `kd launch --help` says how\n");
}

}  // namespace
}  // namespace cli
