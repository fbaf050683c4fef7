// kd check: what it says of configs that work and of those that cannot.
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
using ::testing::HasSubstr;
using ::testing::Not;

Outcome check(const TempFolder& folder, const std::vector<std::string>& more) {
  return kd(small_run("check", more), {.folder = folder.path()});
}

TEST(Check, OverridesOfWhatIsMadeShort) {
  TempFolder folder;
  const Outcome run = check(folder, {"--cfg.checkpointer.save_interval_steps=10",
                                     "--cfg.evals.eval.run.n=50", "--cfg.workdir=run"});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("The config works."), HasSubstr("evaluated: eval")));
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(Check, AFolderThatCannotBeMadeAndWorkersThatCannotWork) {
  TempFolder folder;
  write_text(folder / "file", "");
  const std::pair<std::string, std::string> cases[] = {
      {"--cfg.workdir=/proc/nowhere", "cfg.workdir: /proc/nowhere cannot be made: "},
      {"--cfg.workdir=file/run", "cfg.workdir: file is no folder"},
      {"--cfg.profiler=py::kd.inspect.Profiler(workdir='/proc/nowhere')",
       "cfg.profiler.workdir: /proc/nowhere cannot be made: "},
      {"--cfg.checkpointer.workdir=file/run", "cfg.checkpointer.workdir: file is no folder"},
      {"--cfg.writer=py::kd.train.KDMetricWriter(workdir='file')",
       "cfg.writer.workdir: file is no folder"},
      {"--cfg.writer=py::kd.contrib.train.NpzWriter(output_dir='/proc/nowhere')",
       "cfg.writer.output_dir: /proc/nowhere cannot be made: "},
      {"--cfg.exporter=py::kd.export.JaxModelExporter(path='/proc/nowhere/model')",
       "cfg.exporter.path: /proc/nowhere cannot be made: "},
      {"--cfg.train_ds.per_worker_buffer_size=0",
       "cfg.train_ds.per_worker_buffer_size: expected a whole number of 1 or more, got 0"},
      {"--cfg.train_ds.num_workers=-1",
       "cfg.train_ds.num_workers: expected a whole number of 0 or more, got -1"}};
  for (auto& [flag, error] : cases) {
    const Outcome run = check(folder, {flag});
    EXPECT_EQ(run.code, kFailure) << flag << run.out;
    EXPECT_THAT(run.err, HasSubstr(error));
  }
  EXPECT_EQ(check(folder, {"--cfg.workdir=new/run"}).code, kFine);
  EXPECT_THAT(folder.names(), testing::ElementsAre("file"));
}

// Each evaluator is tried, also one that would not run at the first step.
TEST(Check, EvaluatorsThatRunLater) {
  TempFolder folder;
  for (const std::string flag :
       {"--cfg.evals.eval.run.skip_first=True", "--cfg.evals.eval.run=py::kd.evals.Once(7)"}) {
    const Outcome run = check(folder, {flag});
    EXPECT_EQ(run.code, kFine) << run.err;
    EXPECT_THAT(run.out, HasSubstr("evaluated: eval")) << flag;
  }
}

TEST(Check, ATrainingThatLearnsNothing) {
  TempFolder folder;
  auto error = [&](const std::vector<std::string>& flags) {
    const Outcome run = check(folder, flags);
    EXPECT_EQ(run.code, kFailure) << run.out;
    EXPECT_THAT(run.out, Not(HasSubstr("works")));
    return run.err;
  };
  EXPECT_THAT(error({"--cfg.train_losses={}"}), HasSubstr("cfg.train_losses: there are none"));
  const Outcome train = kd(small_run("train", {"--cfg.train_losses={}", "--cfg.workdir=run"}),
                           {.folder = folder.path()});
  EXPECT_EQ(train.code, kFailure) << train.out;
  EXPECT_THAT(train.err, HasSubstr("cfg.train_losses: there are none"));
  EXPECT_TRUE(fs::is_empty(folder.path()));
  EXPECT_THAT(error({"--cfg.optimizer.learning_rate=nan"}),
              AllOf(HasSubstr("cfg.optimizer: after the first step the parameter "),
                    HasSubstr("look at the learning rate")));
  for (const std::string on_bad_loss : {"skip", "ignore"}) {
    EXPECT_THAT(error({"--cfg.train_losses.recon.weight=inf", "--cfg.on_bad_loss=" + on_bad_loss}),
                HasSubstr("cfg.train_losses: the loss of the first step is inf"));
  }
  const Outcome idle = check(
      folder, {"--cfg.train_losses={}", "--cfg.trainstep=py::kd.contrib.train.NoopTrainStep()"});
  EXPECT_EQ(idle.code, kFine) << idle.err;
}

// The trial takes fewer batches than the run.
TEST(Check, DataThatEndBeforeTheRun) {
  TempFolder folder;
  const std::vector<std::string> once = {"--cfg.train_ds.num_epochs=1",
                                         "--cfg.train_ds.split=train[:64]"};
  auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), once.begin(), once.end());
    return check(folder, more);
  };
  const Outcome run = with({"--cfg.num_train_steps=4"});
  EXPECT_EQ(run.code, kFailure) << run.out;
  EXPECT_THAT(run.err,
              HasSubstr("cfg.train_ds: ends after 4 batches, but the run makes 5 updates"));
  EXPECT_EQ(with({"--cfg.num_train_steps=3"}).code, kFine);
  EXPECT_EQ(with({"--cfg.num_train_steps=9", "--cfg.stop_after_steps=4"}).code, kFine);
}

TEST(Check, ABatchOfThree) {
  TempFolder folder;
  const Outcome run = kd({"check", "--cfg=tiny_vit"}, {.folder = folder.path()});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.out,
              AllOf(HasSubstr("image: float32[3 28 28 1]"), HasSubstr("label: int64[3 1]")));
  // The same type as the data's own command says.
  EXPECT_THAT(kd({"data", "spec", "--cfg=tiny_vit"}).out, HasSubstr("label: int64[128 1]"));
}

TEST(Check, WhatCannotRunIsFound) {
  TempFolder folder;
  auto error = [&](const std::string& flag) {
    const Outcome run = check(folder, {flag});
    EXPECT_EQ(run.code, kFailure) << flag << run.out;
    return run.err;
  };
  EXPECT_THAT(error("--cfg.writer=py::kd.contrib.train.MLFlowMetricWriter()"), HasSubstr("mlflow"));
  EXPECT_THAT(error("--cfg.model.encoder.features=-1"),
              HasSubstr("cfg.model: encoder: features is -1, it must be positive"));
  EXPECT_THAT(error("--cfg.checkpointer.best_metric_path=eval.nonsense"),
              HasSubstr("cfg.checkpointer.best_metric_path: there is no metric of evals.eval "
                        "'nonsense'"));
  EXPECT_THAT(error("--cfg.checkpointer.best_metric_path=train.nonsense"),
              HasSubstr("there is no metric of the training 'nonsense'"));
  EXPECT_THAT(error("--cfg.sharding=py::kd.sharding.ShardingStrategy(params='nonsense')"),
              AllOf(HasSubstr("cfg.sharding.params: expected kd.sharding.REPLICATED"),
                    HasSubstr("got 'nonsense'")));
  EXPECT_EQ(check(folder, {"--cfg.sharding=py::kd.sharding.ShardingStrategy(params=kd.sharding."
                           "FSDPSharding())"})
                .code,
            kFine);
}

// The trial takes three examples and one batch of each evaluator; the run does not.
TEST(Check, DataOfTheRunThatTheTrialMakesShort) {
  TempFolder folder;
  const SpawnOptions here{.folder = folder.path()};
  const std::pair<std::string, std::string> cases[] = {
      {"--cfg.evals.eval.cache=True", "cfg.evals.eval.cache: it needs num_batches"},
      {"--cfg.evals.eval.ds.num_epochs=None",
       "cfg.evals.eval.num_batches: None evaluates the whole dataset, but ds never ends"},
      {"--cfg.evals.eval.ds.batch_size=20000", "cfg.evals.eval.ds: the dataset gives no batch: "},
      {"--cfg.train_ds.split=train[:0]", "cfg.train_ds: the dataset gives no batch: it has 0 "},
      {"--cfg.train_ds.batch_size=2000000000", "cfg.train_ds.batch_size: a batch takes "}};
  for (auto& [flag, error] : cases) {
    ASSERT_EQ(kd({"config", "set", "--cfg=mnist_autoencoder", flag, "--out=cfg.json"}, here).code,
              kFine);
    const Outcome run = kd({"check", "--cfg=cfg.json"}, here);
    EXPECT_EQ(run.code, kFailure) << flag << run.out;
    EXPECT_THAT(run.err, HasSubstr(error));
  }
}

TEST(Check, CountsThatCannotBe) {
  TempFolder folder;
  const std::pair<std::string, std::string> cases[] = {
      {"--cfg.evals.eval.run=py::kd.evals.Once(-1)",
       "cfg.evals.eval.run.step: expected a whole number of 0 or more, got -1"},
      {"--cfg.evals.eval.run=py::kd.evals.StandaloneLastCheckpoint(seconds_to_sleep=-1)",
       "cfg.evals.eval.run.seconds_to_sleep: expected seconds of 0 or more, got -1"},
      {"--cfg.checkpointer.keep_time_interval=-1",
       "cfg.checkpointer.keep_time_interval: expected seconds above 0, got -1"},
      {"--cfg.checkpointer.save_on_steps=[5,-3]",
       "cfg.checkpointer.save_on_steps[1]: expected a whole number of 0 or more, got -3"},
      {"--cfg.checkpointer.preservation_policy=py::kd.ckpts.EveryNSteps(interval_steps=0)",
       "cfg.checkpointer.preservation_policy.interval_steps: expected a whole number above 0"},
      {"--cfg.profiler=py::kd.inspect.Profiler(num_profile_steps=0)",
       "cfg.profiler.num_profile_steps: expected a whole number of 1 or more, got 0"},
      {"--cfg.profiler=py::kd.inspect.Profiler(every_steps=0)",
       "cfg.profiler.every_steps: expected a whole number of 1 or more, got 0"},
      {"--patch.stop_after_steps=-1",
       "error: --patch.stop_after_steps: expected a whole number above 0, got -1"},
      {"--patch.skip_flatboard=False", "error: --patch.skip_flatboard: there is no Flatboard"},
      {"--patch.stop_after=1", "error: --patch.stop_after=1: cli::Patch has no field"},
      {"--patch.num_batches=many", "error: --patch.num_batches: "}};
  for (auto& [flag, error] : cases) {
    const Outcome run = check(folder, {flag});
    EXPECT_EQ(run.code, kFailure) << flag << run.out;
    EXPECT_THAT(run.err, HasSubstr(error));
  }
}

TEST(Check, PlacesOfErrorsInOptimizers) {
  TempFolder folder;
  const std::string adam = "optax.adam(1e-3)";
  const std::pair<std::string, std::string> cases[] = {
      {"optax.adam(optax.join_schedules([optax.constant_schedule(1.0)], [2]))",
       "cfg.optimizer.learning_rate.boundaries: "},
      {"optax.MultiSteps(" + adam + ", 0)", "cfg.optimizer.every_k_schedule: "},
      {"kd.optim.partial_updates(" + adam + ", mask=kd.optim.select('(['))",
       "cfg.optimizer.mask.pattern: "},
      {"kd.optim.partial_updates(" + adam + ", mask=kd.optim.select('encodr'))",
       "cfg.optimizer.mask.pattern: 'encodr' matches no parameter; did you mean 'encoder', as in "
       "encoder."},
      {"kd.optim.partial_updates(" + adam + ", mask=False)",
       "cfg.optimizer.mask: it leaves no parameter to train"},
      {"kd.optim.named_chain(a=optax.freeze(kd.optim.select(['encoder', 'decodr'])))",
       "cfg.optimizer.a.mask.pattern: 'decodr' matches no parameter"}};
  for (auto& [optimizer, error] : cases) {
    const Outcome run = check(folder, {"--cfg.optimizer=py::" + optimizer});
    EXPECT_EQ(run.code, kFailure) << optimizer << run.out;
    EXPECT_THAT(run.err, HasSubstr(error));
  }
  const Outcome ema = check(folder, {"--cfg.init_transform=py::kd.optim.UseEmaParams()"});
  EXPECT_THAT(ema.err, HasSubstr("cfg.init_transform.ema_params_transform: "));
}

TEST(Check, SaysNothingOfItsScratchRun) {
  TempFolder folder;
  for (const std::string flag :
       {"--cfg.checkpointer.never_save_step_zero=True", "--patch.stop_after_steps=3"}) {
    const Outcome run = check(folder, {flag});
    EXPECT_EQ(run.code, kFine) << run.err;
    EXPECT_THAT(run.out + run.err, Not(HasSubstr("saved"))) << flag;
  }
}

// An export replaces its folder, which may hold an older one only.
TEST(Check, AnExportTakesNoFolderOfOthers) {
  TempFolder folder;
  fs::create_directory(folder / "mine");
  write_text(folder / "mine/thesis.tex", "");
  const std::pair<std::string, std::string> cases[] = {
      {"path='mine'", "/mine has 'thesis.tex' in it"},
      {"path='{workdir}'", "/run has the run's own files"},
      {"path='.'", " has the run's own files"},
      {"name='checkpoints'", "/run/checkpoints has the run's own files"},
      {"name='eval'", "/run/eval has the run's own files"}};
  for (const std::string verb : {"check", "train"}) {
    for (auto& [field, error] : cases) {
      const Outcome run =
          kd(small_run(verb, {"--cfg.workdir=run",
                              "--cfg.exporter=py::kd.export.JaxModelExporter(" + field + ")"}),
             {.folder = folder.path()});
      EXPECT_EQ(run.code, kFailure) << verb << field << run.out;
      EXPECT_THAT(run.err, AllOf(HasSubstr("cfg.exporter: "), HasSubstr(error)));
    }
  }
  EXPECT_TRUE(fs::exists(folder / "mine/thesis.tex"));
}

// Folders that a part names itself are for the run.
TEST(Check, LeavesNothingBehind) {
  TempFolder folder;
  const Outcome run =
      check(folder, {"--cfg.writer=py::kd.train.KDMetricWriter(workdir='metrics')",
                     "--cfg.checkpointer.workdir=saved", "--cfg.profiler=py::kd.inspect.Profiler()",
                     "--cfg.exporter=py::kd.export.JaxModelExporter(path='exported')"});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

// What only shows once there are parameters has its place, and optax's fields that would need
// further arguments are among those without effect.
TEST(Check, OptimizersThatDoNotFitTheParameters) {
  TempFolder folder;
  const Outcome run = check(folder, {"--cfg.optimizer=py::optax.masked(optax.sgd(0.1), {}, "
                                     "mask_compatible_extra_args=True)"});
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.err,
              AllOf(HasSubstr("cfg.optimizer.mask: the mask: nothing is said about 'decoder'"),
                    HasSubstr("without effect here: "
                              "cfg.optimizer.mask_compatible_extra_args (there are")));
}

TEST(Check, DataWithoutABatchAxisAreRemarkedOn) {
  TempFolder folder;
  const std::string remark = "cfg.train_ds.batch_size is 0: each step gets one example";
  const Outcome run = check(folder, {"--cfg.train_ds.batch_size=0"});
  EXPECT_THAT(run.err, HasSubstr(remark));
  const Outcome trained =
      kd(small_run("train", {"--cfg.train_ds.batch_size=0", "--cfg.num_train_steps=1"}),
         {.folder = folder.path()});
  EXPECT_THAT(trained.err, HasSubstr(remark));
  EXPECT_THAT(check(folder, {}).err, Not(HasSubstr("batch_size")));
}

// Commands of the reference's program.
TEST(Reference, ShapesOfDataAndSteps) {
  TempFolder folder;
  const SpawnOptions here{.folder = folder.path()};
  Outcome run = kd({"data", "element_spec", "--cfg=mnist_autoencoder"}, here);
  EXPECT_THAT(run.out, HasSubstr("Dataset: train_ds\nbatch:\nimage: float32[1 28 28 1]\n"))
      << run.err;
  run = kd({"data", "element_spec", "--cfg=mnist_autoencoder", "--ds_path=evals.eval.ds",
            "--patch.batch_size=5"},
           here);
  EXPECT_THAT(run.out, HasSubstr("Dataset: evals.eval.ds\nbatch:\nimage: float32[5 28 28 1]\n"));
  run =
      kd({"run", "eval_shape", "--cfg=mnist_autoencoder", "--cfg.model.encoder.features=64"}, here);
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("element_spec:\nimage: float32[1 28 28 1]\n"),
                             HasSubstr("params.encoder.kernel: float32[784 64]"),
                             HasSubstr("preds.image: float32[1 28 28 1]")));
  EXPECT_TRUE(fs::is_empty(folder.path()));
  // Without that word --cfg is the file of an experiment.
  EXPECT_THAT(kd({"run", "--cfg=mnist_autoencoder"}, here).err, HasSubstr("mnist_autoencoder"));
}

TEST(Help, OfACommandRunsNothing) {
  TempFolder folder;
  const SpawnOptions here{.folder = folder.path()};
  const Outcome help = kd({"help", "train", "--cfg=mnist_autoencoder"}, here);
  EXPECT_EQ(help.code, kFine) << help.err;
  EXPECT_EQ(help.out, kd({"train", "--help"}, here).out);
  EXPECT_TRUE(fs::is_empty(folder.path()));
  EXPECT_EQ(kd({"help", "config", "show"}, here).out, kd({"config", "show", "--help"}, here).out);
  EXPECT_EQ(kd({"help"}, here).out, kd({"--help"}, here).out);
}

}  // namespace
}  // namespace cli
