// Runs of the real program that meet trouble: signals, bad numbers, full disks; and two at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/program.h"
#include "cli/small_run_test.h"
#include "cli/spawn_test.h"
#include "test_paths.h"

namespace cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Into the folder `run`.
std::vector<std::string> train(const std::vector<std::string>& more) {
  std::vector<std::string> args = small_run("train", {"--cfg.workdir=run"});
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

TEST(Run, ControlCSavesAndASecondOneStopsAtOnce) {
  TempFolder folder;
  const std::string line = line_of(train({"--cfg.num_train_steps=100000000"}));
  // A shell starts jobs with & deaf to SIGINT; `env` makes them hear again.
  const std::string start = "env --default-signal=INT " + line + kUntilItRuns;
  Outcome run = shell(start + "kill -INT $job\nwait $job\n", folder.path());
  EXPECT_EQ(run.code, 130) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("stopping after this step; once more to stop at once"),
                             HasSubstr("all is saved. To go on: kd resume run")));
  EXPECT_FALSE(fs::exists(folder / "run/train_complete.txt"));
  fs::remove_all(folder / "run");
  // Both wait while it is stopped, so both are there when it goes on.
  run = shell(start +
                  "kill -STOP $job\nkill -INT $job\nkill -TERM $job\nkill -CONT $job\n"
                  "wait $job\n",
              folder.path());
  EXPECT_THAT(run.code, AnyOf(130, 143)) << run.err;
  EXPECT_THAT(run.err, Not(HasSubstr("To go on")));
}

// A folder of one's own, and what is told when it is not.
TEST(Run, AFolderAndItsConfig) {
  TempFolder folder;
  const SpawnOptions here{.folder = folder.path()};
  write_text(folder / "file", "");
  Outcome run = kd({"train", "--cfg=mnist_autoencoder", "--cfg.workdir=file/run"}, here);
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.err, HasSubstr("cfg.workdir: file is no folder; choose another"));

  run = kd(train({"--cfg.num_train_steps=1", "--cfg.checkpointer.save_interval_steps=1",
                  "--nojax_log_compiles", "--xprof_port=80"}),
           here);
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.err, HasSubstr("--nojax_log_compiles, --xprof_port=80: without effect here"));
  EXPECT_THAT(run.err, Not(HasSubstr("the config is not the one")));
  run = kd({"resume", "run", "--cfg.num_train_steps=2", "--cfg.optimizer.learning_rate=0.1"}, here);
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("the config is not the one the run began with (run/"),
                             HasSubstr("\n  num_train_steps: 1 -> 2\n"),
                             HasSubstr("\n  optimizer.learning_rate: 0.003 -> 0.1\n"),
                             HasSubstr("goes on at step 1"), HasSubstr("done: 3 steps")));
  run = kd({"resume", "run"}, here);
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.err, HasSubstr("the run is at step 2 and ends after 2: nothing is left to do"));
  fs::remove_all(folder / "run/checkpoints");
  run = kd({"resume", "run"}, here);
  EXPECT_THAT(run.err, AllOf(HasSubstr("run has no checkpoints: the run starts again"),
                             HasSubstr("done: 2 steps")));
}

TEST(Run, ALossThatIsNoNumber) {
  TempFolder folder;
  const SpawnOptions here{.folder = folder.path()};
  const std::vector<std::string> bad = {"--cfg.num_train_steps=4",
                                        "--cfg.optimizer.learning_rate=1e30"};
  Outcome run = kd(train(bad), here);
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.err,
              AllOf(HasSubstr("step 1: the loss is"), HasSubstr("preds.image ("),
                    HasSubstr("run/bad_batch_1.safetensors"), HasSubstr("on_bad_loss=skip")));
  EXPECT_THAT(read_text(folder / "run/bad_batch_1.json"), HasSubstr("\"record\": "));
  EXPECT_FALSE(fs::exists(folder / "run/train_complete.txt"));

  fs::remove_all(folder / "run");
  auto skip = train(bad);
  skip.push_back("--cfg.on_bad_loss=skip");
  run = kd(skip, here);
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.err, HasSubstr("done: 5 steps"));
  EXPECT_TRUE(fs::exists(folder / "run/train_complete.txt"));
}

// Room for one checkpoint (about 2.4 MB) and not for two, if this machine lets us mount that.
TEST(Run, AFullDiskKeepsTheOldCheckpoint) {
  TempFolder folder;
  fs::create_directory(folder / "run");
  const bool real = shell("unshare -m mount -t tmpfs -o size=4m none run", folder.path()).code == 0;
  if (!real) GTEST_SKIP() << "no file system can be mounted here";
  const std::string limited =
      "unshare -m sh -c 'mount -t tmpfs -o size=4m none run; \"$0\" \"$@\"; code=$?; "
      "cp -r run kept; exit $code' ";
  auto saving = [&](const char* otherwise) {
    return train({"--cfg.num_train_steps=4", "--cfg.checkpointer.save_interval_steps=2",
                  std::string("--cfg.checkpointer.on_save_error=") + otherwise});
  };
  Outcome run = shell(limited + line_of(saving("stop")), folder.path());
  EXPECT_EQ(run.code, kFailure) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("the checkpoint was not saved: "),
                             HasSubstr("the disk is full; free some space"),
                             HasSubstr("The one of step 0 is still there.")));
  run = kd({"ckpt", "show", "kept"}, {.folder = folder.path()});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_FALSE(fs::exists(folder / "kept/checkpoints/ckpt_2"));

  fs::remove_all(folder / "kept");
  run = shell(limited + line_of(saving("continue")), folder.path());
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("warning: the checkpoint was not saved"),
                             HasSubstr("the disk is full"), HasSubstr("done: 5 steps")));
  EXPECT_TRUE(fs::exists(folder / "kept/checkpoints/ckpt_0/manifest.json"));
  EXPECT_TRUE(fs::exists(folder / "kept/train_complete.txt"));
}

TEST(Run, OneThreadOrTwoGiveTheSameCurves) {
  TempFolder folder;
  const SpawnOptions here{.folder = folder.path()};
  std::string curves[2];
  for (int threads : {1, 2}) {
    Outcome run = kd(
        train({"--cfg.num_train_steps=20", "--cfg.log_metrics_every=1", "--cfg.evals.eval.run.n=10",
               "--cfg.train_ds.batch_size=128", "--threads=" + std::to_string(threads)}),
        here);
    EXPECT_EQ(run.code, kFine) << run.err;
    curves[threads - 1] = values_of(read_text(folder / "run/train/metrics.csv")) +
                          values_of(read_text(folder / "run/eval/metrics.csv"));
    fs::remove_all(folder / "run");
  }
  EXPECT_THAT(curves[0], HasSubstr("\n20,"));
  EXPECT_EQ(curves[0], curves[1]);
}

TEST(Run, EvaluationInAProcessOfItsOwn) {
  TempFolder folder;
  const std::vector<std::string> both = {"--cfg=mnist_standalone_eval", "--cfg.workdir=run",
                                         "--cfg.train_ds.num_workers=0"};
  auto command = [&](const std::string& name, const std::vector<std::string>& more) {
    std::vector<std::string> args = {name};
    args.insert(args.end(), both.begin(), both.end());
    args.insert(args.end(), more.begin(), more.end());
    return line_of(args);
  };
  const std::string eval = command(
      "eval", {"--eval_names=eval2,eval3", "--cfg.evals.eval2.num_batches=1",
               "--cfg.evals.eval3.num_batches=1", "--cfg.evals.eval2.run.seconds_to_sleep=0.05"});
  const std::string train =
      command("train", {"--cfg.num_train_steps=30", "--cfg.checkpointer.save_interval_steps=10"});
  // The evaluation is there first, and waits.
  const Outcome run =
      shell(eval + " 2>eval.txt & job=$!\n" + train + " || exit 8\nwait $job\n", folder.path());
  EXPECT_EQ(run.code, kFine) << run.err << read_text(folder / "eval.txt");
  EXPECT_THAT(read_text(folder / "run/eval2/metrics.csv"), HasSubstr("\n30,"));
  EXPECT_THAT(read_text(folder / "run/eval3/metrics.csv"), HasSubstr("\n30,"));
  EXPECT_THAT(read_text(folder / "run/eval3/metrics.csv"), Not(HasSubstr("\n20,")));
}

TEST(Run, PatchesMakeConfigsShort) {
  TempFolder folder;
  const SpawnOptions here{.folder = folder.path()};
  auto shown = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"config", "show", "--cfg=mnist_autoencoder", "--format=json"});
    return kd(more, here);
  };
  EXPECT_THAT(shown({"--patch.batch_size=8"}).out,
              AllOf(HasSubstr("\"stop_after_steps\": 1"), HasSubstr("\"batch_size\": 8"),
                    Not(HasSubstr("256")), HasSubstr("\"checkpointer\": null"),
                    HasSubstr("\"num_batches\": 1")));
  // Overrides come first, and a path that the user overrides keeps the user's value.
  EXPECT_THAT(shown({"--patch.skip_eval", "--cfg.stop_after_steps=7"}).out,
              AllOf(HasSubstr("\"stop_after_steps\": 7"), HasSubstr("\"evals\": {}")));
  const Outcome inside = shown({"--patch.batch_size=8", "--cfg.checkpointer.save_interval_steps=10",
                                "--cfg.evals.eval.run.n=50", "--cfg.train_ds.batch_size=32"});
  EXPECT_EQ(inside.code, kFine) << inside.err;
  EXPECT_THAT(inside.out,
              AllOf(HasSubstr("\"save_interval_steps\": 10"), HasSubstr("\"n\": 50"),
                    HasSubstr("\"batch_size\": 32"), HasSubstr("\"batch_size\": 8"),
                    Not(HasSubstr("\"checkpointer\": null")), Not(HasSubstr("evals.Once"))));
  // Of what is emptied, too.
  const Outcome emptied =
      shown({"--patch.skip_eval", "--patch.skip_metrics", "--cfg.evals.eval.run.n=50",
             "--cfg.evals.other=py::kd.evals.Evaluator(run=kd.evals.Once(0))",
             "--cfg.train_losses.recon.weight=2"});
  EXPECT_EQ(emptied.code, kFine) << emptied.err;
  EXPECT_THAT(emptied.out, AllOf(HasSubstr("\"n\": 50"), HasSubstr("\"other\""),
                                 HasSubstr("\"train_metrics\": {}")));
  // As the reference has them.
  EXPECT_THAT(shown({"--patch.noskip_checkpointer"}).out,
              AllOf(HasSubstr("ckpts.Checkpointer"), HasSubstr("\"batch_size\": 1")));
  EXPECT_THAT(shown({"--patch.checkify"}).out,
              HasSubstr("\"__const__\": \"jax.experimental.checkify:all_checks\""));
  EXPECT_THAT(shown({"--patch.profile"}).out,
              AllOf(HasSubstr("\"stop_after_steps\": 17"),
                    HasSubstr("\"profile_duration_ms\": null"), HasSubstr("\"on_colab\": true")));
  EXPECT_THAT(shown({"--patch.noskip_flatboard"}).err, HasSubstr("patch.skip_flatboard"));
  const Outcome text = kd({"config", "show", "--cfg=mnist_autoencoder", "--cfg.seed=3",
                           "--cfg.stop_after_steps=7", "--patch.skip_eval"},
                          here);
  EXPECT_THAT(text.out, HasSubstr("========= Config (patched) ========="));
  EXPECT_THAT(text.out, HasSubstr("\nPatches:\n {"));
  const std::string patches = text.out.substr(text.out.find("Patches:"));
  EXPECT_THAT(patches.substr(0, patches.find("\n\n")),
              AllOf(HasSubstr("'checkpointer': None"), HasSubstr("'evals': "),
                    Not(HasSubstr("stop_after_steps"))));
  EXPECT_THAT(shown({}).out, Not(HasSubstr("stop_after_steps")));
  const Outcome wrong = shown({"--patch.batchsize=8"});
  EXPECT_NE(wrong.code, kFine);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean 'batch_size'"));
  const Outcome check =
      kd({"check", "--cfg=mnist_autoencoder", "--patch.stop_after_steps=2", "--patch.skip_eval"},
         here);
  EXPECT_EQ(check.code, kFine) << check.err;
  EXPECT_THAT(check.out, AllOf(HasSubstr("The config works."), Not(HasSubstr("evaluated:"))));
}

// Spellings of the introduction that the reference does not have.
TEST(Run, SpellingsThatLookRightAreExplained) {
  TempFolder folder;
  auto error_of = [&](const std::string& json) {
    write_text(folder / "c.json", json);
    return kd({"check", "--cfg=c.json"}, {.folder = folder.path()}).err;
  };
  const std::string trainer = R"({"__qualname__": "kauldron.kd:train.Trainer", )";
  EXPECT_THAT(error_of(trainer + R"("train_loss": {}})"), HasSubstr("'train_losses'"));
  EXPECT_THAT(error_of(trainer + R"("losses": {}})"), HasSubstr("'train_losses'"));
  EXPECT_THAT(
      error_of(trainer + R"("optimizer": {"__qualname__": "kauldron.kd:optim.partial_update"}})"),
      HasSubstr("partial_updates"));
  EXPECT_THAT(
      error_of(
          trainer +
          R"("sharding": {"__qualname__": "kauldron.kd:sharding.ShardingStrategy", "ds": null}})"),
      HasSubstr("batch"));
  auto key = [&](const std::string& name) {
    auto args = train({"--cfg.train_losses.recon.preds=" + name});
    args[0] = "check";
    return kd(args, {.folder = folder.path()}).err;
  };
  EXPECT_THAT(key("intermediates.encoder"), HasSubstr("did you mean 'interms'"));
  EXPECT_THAT(key("banana.image"), AllOf(HasSubstr("cfg.train_losses.recon"),
                                         HasSubstr("there are: step, batch, params")));
}

}  // namespace
}  // namespace cli
