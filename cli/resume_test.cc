// Runs whose config names types that only their own source defines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/program.h"
#include "cli/spawn_test.h"
#include "test_paths.h"

namespace cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Resume, AModelOfOnesOwn) {
  TempFolder folder;
  const SpawnOptions here{.folder = folder.path()};
  const Outcome run =
      kd({"train", "--cfg=gan", "--cfg.workdir=run", "--cfg.num_train_steps=2",
          "--cfg.evals.eval.num_batches=1", "--cfg.checkpointer.save_interval_steps=1"},
         here);
  ASSERT_EQ(run.code, kFine) << run.err;
  EXPECT_EQ(read_text(folder / "run/config_source.txt"), "gan\n");
  const Outcome more = kd({"resume", "run", "--cfg.num_train_steps=4"}, here);
  EXPECT_EQ(more.code, kFine) << more.err;
  EXPECT_THAT(more.err, HasSubstr("done: 5 steps, in run"));
  const Outcome model = kd({"inspect", "--cfg=run/config.json"}, here);
  EXPECT_THAT(model.out, AllOf(HasSubstr("Discriminator"), HasSubstr("generator")));

  // The source may be gone; a config that needs nothing of it goes on.
  write_text(folder / "run/config_source.txt", folder / "gone.cc\n");
  const Outcome gone = kd({"inspect", "--cfg=run/config.json"}, here);
  EXPECT_EQ(gone.code, kFailure);
  EXPECT_THAT(gone.err, AllOf(HasSubstr("there is no " + (folder / "gone.cc")),
                              HasSubstr("--cfg=FILE.cc"), HasSubstr("gan:Gan")));
}

TEST(Resume, AFileThatMoved) {
  TempFolder folder;
  const SpawnOptions here{.folder = folder.path()};
  fs::copy(KD_SOURCE_DIR "/examples/mnist_autoencoder.cc", folder / "mine.cc");
  const Outcome run = kd({"train", "--cfg=./mine.cc", "--cfg.workdir=run",
                          "--cfg.num_train_steps=0", "--cfg.evals.eval.num_batches=1"},
                         here);
  ASSERT_EQ(run.code, kFine) << run.err;
  EXPECT_EQ(read_text(folder / "run/config_source.txt"), folder / "mine.cc\n");
  fs::remove(folder / "mine.cc");
  const Outcome more = kd({"resume", "run", "--cfg.num_train_steps=1"}, here);
  EXPECT_EQ(more.code, kFine) << more.err;
  EXPECT_THAT(more.err, AllOf(HasSubstr("mine.cc any more"), HasSubstr("done: 2 steps, in run")));
}

// What is wrong is the name, not that a config is missing.
TEST(Resume, OverridesOfWhatIsNoFolder) {
  TempFolder folder;
  const SpawnOptions here{.env = {{"KD_STATE", folder / "state"}}, .folder = folder.path()};
  for (const char* unit : {"16", "16/1", "xid:16/1"}) {
    const Outcome run = kd({"resume", unit, "--cfg.num_train_steps=70"}, here);
    EXPECT_EQ(run.code, kUsage) << unit;
    EXPECT_THAT(run.first_error_line(),
                AllOf(HasSubstr("the config of an experiment is the one it was launched with"),
                      HasSubstr("kd launch --xp.xid=16 --cfg=...")));
  }
  const Outcome run = kd({"resume", "runs/nope", "--cfg.num_train_steps=70"}, here);
  EXPECT_EQ(run.code, kUsage);
  EXPECT_THAT(run.first_error_line(), HasSubstr("there is no folder runs/nope"));
}

}  // namespace
}  // namespace cli
