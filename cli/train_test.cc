// kd train, resume, eval and check, by the real program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "cli/program.h"
#include "cli/small_run_test.h"
#include "cli/spawn_test.h"
#include "test_paths.h"

namespace cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Train, IntoAFreshFolder) {
  TempFolder folder;
  const Outcome run =
      kd(small_run("train", {"--cfg.num_train_steps=3"}), {.folder = folder.path()});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.err, HasSubstr("done: 4 steps, in runs/mnist_autoencoder-1"));
  EXPECT_THAT(run.err, HasSubstr("encoder  Dense            float32[16 784]"));
  const fs::path workdir = folder / "runs/mnist_autoencoder-1";
  for (auto* file : {"config.json", "element_spec.json", "train_complete.txt",
                     "checkpoints/ckpt_0/state.safetensors", "train/metrics.csv", "eval"}) {
    EXPECT_TRUE(fs::exists(workdir / file)) << file;
  }
  // A job that only evaluates it.
  const Outcome eval = kd({"eval", "--cfg=mnist_eval_only:run=" + workdir.string(),
                           "--eval_names=eval_test", "--cfg.evals.eval_test.num_batches=1"},
                          {.folder = folder.path()});
  EXPECT_EQ(eval.code, kFine) << eval.err;
  EXPECT_THAT(eval.err, HasSubstr("collection=eval_test"));
  EXPECT_THAT(eval.err, HasSubstr("the results: runs/mnist_eval_only-1"));
  EXPECT_TRUE(fs::exists(folder / "runs/mnist_eval_only-1/eval_test/metrics.csv"));
  // A head on the frozen model: only the head changes.
  const Outcome readout =
      kd({"train", "--cfg=readout:run=" + workdir.string(), "--cfg.workdir=readout",
          "--cfg.num_train_steps=3", "--cfg.checkpointer.save_interval_steps=3",
          "--cfg.train_ds.batch_size=16", "--cfg.evals.eval.num_batches=1"},
         {.folder = folder.path()});
  EXPECT_EQ(readout.code, kFine) << readout.err;
  const Outcome changed =
      kd({"ckpt", "diff", "readout", "readout", "--a-step=0"}, {.folder = folder.path()});
  EXPECT_THAT(changed.out, AllOf(HasSubstr("params.readout_heads_classes.kernel"),
                                 Not(HasSubstr("params.model"))));
  EXPECT_EQ(kd({"ckpt", "diff", workdir.string(), "readout", "--b-step=0"}).code, kFailure);
  // The reference's spelling.
  const Outcome again = kd({"--cfg=" + (workdir / "config.json").string(),
                            "--cfg.workdir=" + (folder / "b"), "--cfg.num_train_steps=1"},
                           {.folder = folder.path()});
  EXPECT_EQ(again.code, kFine) << again.err;
  EXPECT_TRUE(fs::exists(fs::path(folder / "b") / "train_complete.txt"));
}

TEST(Train, SettingsWithoutEffectAreRemarkedOnOnce) {
  TempFolder folder;
  const Outcome run =
      kd(small_run("train", {"--cfg.num_train_steps=1", "--cfg.checkpointer.fast=False",
                             "--cfg.train_ds.enable_profiling=True",
                             "--cfg.checkpointer.lightweight_initialize=False"}),
         {.folder = folder.path()});
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.err, HasSubstr("without effect here: cfg.train_ds.enable_profiling (use `kd data "
                                 "bench`), cfg.checkpointer.fast (there is one way to write)\n"));
  const Outcome quiet =
      kd(small_run("train", {"--cfg.num_train_steps=1"}), {.folder = folder.path()});
  EXPECT_THAT(quiet.err, Not(HasSubstr("without effect")));
}

TEST(Train, EvaluatorsAreChosenByTheirGroup) {
  TempFolder folder;
  auto kd_here = [&](const std::string& verb, const std::vector<std::string>& more) {
    std::vector<std::string> args = {verb, "--cfg=mnist_standalone_eval", "--cfg.workdir=run"};
    args.insert(args.end(), more.begin(), more.end());
    return kd(args, {.folder = folder.path()});
  };
  ASSERT_EQ(kd_here("train", {"--cfg.num_train_steps=1", "--cfg.train_ds.batch_size=16"}).code,
            kFine);
  const Outcome along =
      kd_here("eval", {"--job_group=eval_along", "--cfg.evals.eval1.num_batches=1",
                       "--cfg.evals.eval2.num_batches=1", "--quiet_seconds=0"});
  EXPECT_EQ(along.code, kFine) << along.err;
  EXPECT_THAT(along.err, AllOf(HasSubstr("collection=eval1"), HasSubstr("collection=eval2"),
                               Not(HasSubstr("collection=eval3"))));
  const Outcome unknown = kd_here("eval", {"--job_group=eval_alone"});
  EXPECT_EQ(unknown.code, kFailure);
  EXPECT_THAT(unknown.err,
              HasSubstr("evals: no evaluator has the job_group 'eval_alone'; there are: "
                        "eval3, eval_along"));
  const Outcome both = kd_here("eval", {"--job_group=eval_along", "--eval_names=eval1"});
  EXPECT_EQ(both.code, kUsage);
  EXPECT_THAT(both.err, HasSubstr("--eval_names and --job_group both choose evaluators"));
}

TEST(Train, AKauldronConfigNeedsItsDataset) {
  TempFolder folder;
  const SpawnOptions here{.env = {{"HOME", folder.path()}, {"TFDS_DATA_DIR", folder.path()}},
                          .folder = folder.path()};
  const std::string file = "--cfg=" KD_SOURCE_DIR "/examples/mnist_autoencoder.py";
  const Outcome missing = kd({"check", file}, here);
  EXPECT_EQ(missing.code, kFailure);
  EXPECT_THAT(missing.err, AllOf(HasSubstr("mnist"), HasSubstr("substitute")));
  const Outcome run =
      kd({"train", file, "--cfg.train_ds.substitute=fashion_mnist",
          "--cfg.evals.eval.ds.substitute=fashion_mnist", "--cfg.evals.eval.num_batches=1",
          "--cfg.train_ds.batch_size=16", "--cfg.num_train_steps=2", "--cfg.workdir=run"},
         here);
  EXPECT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("'fashion_mnist'"), HasSubstr("done: 3 steps")));
}

TEST(Train, AModelForAnotherProgram) {
  TempFolder folder;
  const SpawnOptions here{.folder = folder.path()};
  const Outcome run =
      kd(small_run("train", {"--cfg.num_train_steps=3", "--cfg.workdir=run",
                             "--cfg.setup.tqdm_info=py::kd.train.TqdmInfo(desc='fit')",
                             "--cfg.exporter=py::kd.export.JaxModelExporter()"}),
         here);
  ASSERT_EQ(run.code, kFine) << run.err;
  EXPECT_THAT(run.err, HasSubstr("\nfit: 100%"));
  const Outcome used = spawn(KD_BINARY_DIR "/examples/use_model", {"run/train_model"}, here);
  EXPECT_EQ(used.code, 0) << used.err;
  EXPECT_EQ(used.out, "image: [2, 28, 28, 1]\n");
  EXPECT_EQ(spawn(KD_BINARY_DIR "/examples/use_model", {"run/none"}, here).code, 1);
}

TEST(Inspect, ShowsTheModel) {
  const Outcome all = kd({"inspect", "--cfg=tiny_vit"});
  EXPECT_EQ(all.code, kFine) << all.err;
  EXPECT_THAT(all.out, AllOf(HasSubstr("path"), HasSubstr("Vit"), HasSubstr("float32[128 28 28 1]"),
                             HasSubstr("{logits: float32[128 10]}"), HasSubstr("\ntotal")));
  const Outcome top = kd({"inspect", "--cfg=tiny_vit", "--depth=0"});
  EXPECT_EQ(std::count(top.out.begin(), top.out.end(), '\n'), 4);
  EXPECT_EQ(top.out.substr(top.out.find("\ntotal")).size() > 7, true);
  const Outcome wrong = kd({"inspect", "--cfg=tiny_vit", "--depth=-1"});
  EXPECT_EQ(wrong.code, kUsage);
  EXPECT_THAT(wrong.err, HasSubstr("--depth"));
  const Outcome key = kd({"inspect", "--cfg=tiny_vit", "--cfg.model.image=batch.imag"});
  EXPECT_EQ(key.code, kFailure);
  EXPECT_THAT(key.err, AllOf(HasSubstr("cfg.model"), HasSubstr("image")));
  const Outcome huge = kd({"inspect", "--cfg=tiny_vit", "--cfg.train_ds.batch_size=2000000000"});
  EXPECT_EQ(huge.code, kFailure);
  EXPECT_THAT(huge.err, HasSubstr("cfg.train_ds.batch_size: a batch takes 6288 GB, this machine"));
}

TEST(Inspect, ShowsConnectionsAndSchedules) {
  const Outcome graph = kd({"inspect", "--cfg=mnist_autoencoder", "--show=graph"});
  EXPECT_EQ(graph.code, kFine) << graph.err;
  EXPECT_THAT(graph.out,
              AllOf(StartsWith("digraph {\n"), HasSubstr("\"batch\" [label=\"batch|<f0> image\"];"),
                    HasSubstr("  \"batch\":f0 -> \"model\":f0;\n"),
                    HasSubstr("  \"preds\":f0 -> \"losses.recon\":f0;\n")));
  TempFolder folder;
  const std::string picture = folder / "lr.svg";
  const std::vector<std::string> schedules = {"inspect", "--cfg=tiny_vit", "--show=schedules"};
  EXPECT_THAT(kd(schedules).out, HasSubstr("schedules/learning_rate"));
  EXPECT_EQ(kd({"inspect", "--cfg=tiny_vit", "--show=schedules", "--out=" + picture}).code, kFine);
  EXPECT_GT(fs::file_size(picture), 1000u);
  EXPECT_THAT(kd({"inspect", "--cfg=mnist_autoencoder", "--show=schedules"}).err,
              HasSubstr("cfg.schedules: there are none"));
  EXPECT_EQ(kd({"inspect", "--cfg=tiny_vit", "--out=" + picture}).code, kUsage);
}

TEST(New, RefusesWhatCannotBe) {
  TempFolder folder;
  const SpawnOptions here{.folder = folder.path()};
  for (auto& [name, text] :
       std::vector<std::pair<std::string, std::string>>{{"my-project", "how about my_project?"},
                                                        {"7up", "how about my_7up?"},
                                                        {"class", "how about my_class?"},
                                                        {"kd", "how about my_kd?"},
                                                        {"/", "needs a name"}}) {
    const Outcome run = kd({"new", name}, here);
    EXPECT_EQ(run.code, kUsage) << name;
    EXPECT_THAT(run.err, HasSubstr(text));
  }
  EXPECT_EQ(kd({"new"}, here).code, kUsage);
  EXPECT_EQ(kd({"new", "a/spirals/"}, here).code, kFine);
  EXPECT_THAT(read_text(folder / "a/spirals/model.h"),
              AllOf(HasSubstr("namespace spirals {"), Not(HasSubstr("my_project"))));
  EXPECT_TRUE(fs::exists(folder / "a/spirals/.gitignore"));
  const Outcome again = kd({"new", "a/spirals"}, here);
  EXPECT_EQ(again.code, kUsage);
  EXPECT_THAT(again.err, HasSubstr("a/spirals is there already and has files in it"));
}

TEST(Train, StopsOnSignalsAndGoesOn) {
  TempFolder folder;
  const std::string line =
      line_of(small_run("train", {"--cfg.workdir=run", "--cfg.num_train_steps=100000000"}));
  const Outcome run = shell(line + kUntilItRuns + "kill -TERM $job\nwait $job\n", folder.path());
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

TEST(Train, MistakesLeaveNothingBehind) {
  TempFolder folder;
  const SpawnOptions here{.folder = folder.path()};
  Outcome run = kd(small_run("train", {"--cfg.train_losses.recon.preds=preds.imag"}), here);
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.err, AllOf(HasSubstr("cfg.train_losses.recon"), HasSubstr("preds.image")));
  EXPECT_TRUE(fs::is_empty(folder / "runs"));
  EXPECT_EQ(kd({"resume", "nowhere"}, here).code, kUsage);
  EXPECT_EQ(kd({"resume", folder.path()}, here).code, kFailure);
  EXPECT_EQ(kd(small_run("eval"), here).code, kUsage);
  run = kd(small_run("eval", {"--cfg.workdir=x", "--eval_names=evl"}), here);
  EXPECT_EQ(run.code, kFailure);
  EXPECT_THAT(run.err, HasSubstr("did you mean 'eval'"));
}

TEST(Train, EveryExampleWorks) {
  TempFolder folder;
  std::istringstream names(kd({"config", "list"}).out);
  int count = 0;
  for (std::string name; std::getline(names, name); ++count) {
    if (name == "mnist_eval_only" || name == "readout") continue;  // need a run: see above
    const Outcome run = kd({"check", "--cfg=" + name}, {.folder = folder.path()});
    EXPECT_EQ(run.code, kFine) << name << ": " << run.err;
    EXPECT_THAT(run.out, AllOf(HasSubstr("one step"), HasSubstr("The config works."))) << name;
  }
  EXPECT_GE(count, 5);
  EXPECT_THAT(folder.names(), IsEmpty());
}

}  // namespace
}  // namespace cli
