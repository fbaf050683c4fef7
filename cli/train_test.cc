// kd train, resume, eval and check, by the real program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <random>
#include <sstream>

#include "cli/program.h"
#include "cli/spawn_test.h"
#include "test_paths.h"

namespace cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::vector<std::string> kSmall = {"--cfg=mnist_autoencoder", "--cfg.train_ds.batch_size=16",
                                         "--cfg.train_ds.num_workers=0",
                                         "--cfg.evals.eval.num_batches=1"};

std::vector<std::string> command(const std::string& name, std::vector<std::string> more = {}) {
  std::vector<std::string> args = {name};
  args.insert(args.end(), kSmall.begin(), kSmall.end());
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

TEST(Train, IntoAFreshFolder) {
  TempFolder folder;
  const Outcome run = kd(command("train", {"--cfg.num_train_steps=3"}), {.folder = folder.path()});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.err, HasSubstr("done: 4 steps, in runs/mnist_autoencoder-1"));
  const fs::path workdir = folder / "runs/mnist_autoencoder-1";
  for (auto* file : {"config.json", "element_spec.json", "train_complete.txt",
                     "checkpoints/ckpt_0/state.safetensors", "train/metrics.csv", "eval"}) {
    EXPECT_TRUE(fs::exists(workdir / file)) << file;
  }
  // A job that only evaluates it.
  const Outcome eval =
      kd({"eval", "--cfg=mnist_eval_only:run=" + workdir.string(), "--cfg.workdir=evaluated",
          "--eval_names=eval_test", "--cfg.evals.eval_test.num_batches=1"},
         {.folder = folder.path()});
  EXPECT_EQ(eval.code, kFine) << eval.err;
  EXPECT_THAT(eval.err, HasSubstr("collection=eval_test"));
  EXPECT_TRUE(fs::exists(folder / "evaluated/eval_test/metrics.csv"));
  // The reference's spelling.
  const Outcome again = kd({"--cfg=" + (workdir / "config.json").string(),
                            "--cfg.workdir=" + (folder / "b"), "--cfg.num_train_steps=1"},
                           {.folder = folder.path()});
  EXPECT_EQ(again.code, kFine) << again.err;
  EXPECT_TRUE(fs::exists(fs::path(folder / "b") / "train_complete.txt"));
}

TEST(Train, StopsOnSignalsAndGoesOn) {
  TempFolder folder;
  std::string line = KD_BINARY_DIR "/kd";
  for (auto& arg : command("train", {"--cfg.workdir=run", "--cfg.num_train_steps=100000000"})) {
    line += " '" + arg + "'";
  }
  // The first checkpoint tells that it runs.
  const std::string script = line +
                             " & job=$!\n"
                             "while [ ! -e run/checkpoints/ckpt_0 ]; do kill -0 $job || exit 9; "
                             "done\nkill -TERM $job\nwait $job\n";
  const Outcome run = spawn("/bin/sh", {"-c", script}, {.folder = folder.path()});
  EXPECT_EQ(run.code, 143) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("To go on: kd resume run"), HasSubstr("stopping")));
  EXPECT_FALSE(fs::exists(folder / "run/train_complete.txt"));
  const auto at = run.err.find("stopped after ");
  ASSERT_NE(at, run.err.npos);
  const int steps = std::stoi(run.err.substr(at + 14));
  const Outcome more = kd({"resume", "run", "--cfg.num_train_steps=" + std::to_string(steps + 1)},
                          {.folder = folder.path()});
  EXPECT_EQ(more.code, kFine) << more.err;
  EXPECT_THAT(more.err, HasSubstr("done: " + std::to_string(steps + 2) + " steps, in run"));
}

TEST(Train, KilledAtAnyMomentAndResumed) {
  TempFolder folder;
  auto args = [&](const std::string& workdir) {
    return command("train", {"--cfg.workdir=" + workdir, "--cfg.num_train_steps=60",
                             "--cfg.checkpointer.save_interval_steps=10",
                             "--cfg.log_metrics_every=5", "--cfg.evals.eval.run.n=20"});
  };
  const SpawnOptions here{.folder = folder.path()};
  ASSERT_EQ(kd(args("whole"), here).code, kFine);

  std::string line;
  for (auto& arg : args("killed")) line += " '" + arg + "'";
  const int kills = std::getenv("KD_TEST_FULL") ? 200 : 4;
  std::mt19937 random(7);  // of moments from before the first step to after the last
  int killed = 0, done = 0;
  for (int i = 0; i < kills; ++i) {
    if (done > 0) {
      fs::remove_all(folder / "killed");
      done = 0;
    }
    const double seconds = std::uniform_real_distribution(0.2, 1.5)(random);
    const Outcome run =
        spawn("/bin/sh",
              {"-c", "timeout -s KILL " + std::to_string(seconds) + " " KD_BINARY_DIR "/kd" + line},
              here);
    ASSERT_TRUE(run.code == 0 || run.code == 137) << run.code << run.err;
    killed += run.code == 137;
    done += run.code == 0;
  }
  EXPECT_GT(killed, 0);
  const Outcome rest = kd(args("killed"), here);
  EXPECT_EQ(rest.code, kFine) << rest.err;
  auto same = [&](const std::string& file) {
    EXPECT_EQ(read_text(folder / ("killed/" + file)), read_text(folder / ("whole/" + file)))
        << file;
  };
  same("checkpoints/ckpt_60/state.safetensors");
  same("checkpoints/ckpt_60/ds_iter.json");
  for (auto* file : {"train/metrics.csv", "eval/metrics.csv"}) {
    EXPECT_EQ(values_of(read_text(folder / (std::string("killed/") + file))),
              values_of(read_text(folder / (std::string("whole/") + file))));
  }
}

TEST(Train, MistakesLeaveNothingBehind) {
  TempFolder folder;
  const SpawnOptions here{.folder = folder.path()};
  Outcome run = kd(command("train", {"--cfg.train_losses.recon.preds=preds.imag"}), here);
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.err, AllOf(HasSubstr("cfg.train_losses.recon"), HasSubstr("preds.image")));
  EXPECT_TRUE(fs::is_empty(folder / "runs"));
  EXPECT_EQ(kd({"resume", "nowhere"}, here).code, kUsage);
  EXPECT_EQ(kd({"resume", folder.path()}, here).code, kFailure);
  EXPECT_EQ(kd(command("eval"), here).code, kUsage);
  run = kd(command("eval", {"--cfg.workdir=x", "--eval_names=evl"}), here);
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.err, HasSubstr("did you mean 'eval'"));
}

TEST(Train, EveryExampleWorks) {
  TempFolder folder;
  std::istringstream names(kd({"config", "list"}).out);
  int count = 0;
  for (std::string name; std::getline(names, name); ++count) {
    if (name == "mnist_eval_only") continue;  // needs a run: see above
    const Outcome run = kd({"check", "--cfg=" + name}, {.folder = folder.path()});
    EXPECT_EQ(run.code, kFine) << name << ": " << run.err;
    EXPECT_THAT(run.out, AllOf(HasSubstr("one step"), HasSubstr("The config works."))) << name;
  }
  EXPECT_GE(count, 5);
  EXPECT_THAT(folder.names(), IsEmpty());
}

}  // namespace
}  // namespace cli
