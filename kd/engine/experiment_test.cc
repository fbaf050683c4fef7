// Experiments as a program runs them: config.yaml, what is shown, kills at any moment.
#include <ATen/Parallel.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "base/file.h"
#include "base/temp_folder.h"
#include "kd/ckpts/engine/manager.h"
#include "kd/core/ops.h"
#include "kd/engine/api.h"
#include "kd/problems/model_factory.h"
#include "kd/problems/optimizer_factory.h"
#include "kd/problems/passes.h"
#include "kd/problems/shipped_problems.h"
#include "kd/problems/single_gpu_trainer.h"
#include "kd/run.h"
#include "konfig/expect_test.h"
#include "tfimm/train/train.h"

namespace experiment_test {

using namespace kd;
using namespace kd::problems;
namespace fs = std::filesystem;
using konfig::error_of;
using ::testing::AllOf;
using ::testing::HasSubstr;

// Pictures of three kinds.
struct Stripes {
  std::int64_t size() const { return 40; }
  Tree record(std::int64_t i) const {
    const Tensor image = (at::arange(64, at::kFloat) * static_cast<double>(i % 3 + 1)) % 256;
    return Tree::dict(
        {{"image", image.reshape({8, 8, 1})}, {"label", at::full({}, i % 3, at::kLong)}});
  }
};

struct StripesConfig {
  int batch_size = 8;
};
struct StripesDataset : DatasetBase {
  using cfg_class = StripesConfig;
  explicit StripesDataset(const StripesConfig& cfg) : cfg(cfg) {}
  Poly<Pipeline> pipeline() const override {
    return Passes{.source = Stripes{}, .shuffle = true, .batch_size = cfg.batch_size};
  }
  StripesConfig cfg;
};

}  // namespace experiment_test

KD_COMPONENT(kd::Source, experiment_test::Stripes);
CFG_SERIALIZABLE(experiment_test::StripesDataset);

namespace experiment_test {
namespace {

// 3 epochs of 5 steps.
ExperimentConfig config(const fs::path& folder) {
  return {.trainer = TrainerConfig{.ckpt_dir = folder.string(), .verbose = false},
          .trainer_class = "SingleGPUTrainer",
          .timekeeping = Timekeeping{.nb_epochs = 3, .batch_size = 8},
          .timekeeping_class = "Timekeeping",
          .problem =
              ClassificationConfig{
                  .model = ModelConfig{.model_name = "mlp", .nb_classes = 3, .drop_rate = 0.2},
                  .model_class = "ModelFactory",
                  .optimizer = OptimizerConfig{.lr_schedule = LRConstConfig{.lr = 0.01},
                                               .lr_schedule_class = "LRConstFactory"}},
          .problem_class = "ClassificationProblem",
          .train_dataset = StripesConfig{},
          .train_dataset_class = "StripesDataset",
          .val_dataset = StripesConfig{},
          .val_dataset_class = "StripesDataset"};
}

ExperimentConfig saved_often(const fs::path& folder) {
  ExperimentConfig cfg = config(folder);
  cfg.trainer.as<TrainerConfig>().ckpt_every_it = 1;
  cfg.timekeeping = Timekeeping{.nb_epochs = std::getenv("KD_TEST_FULL") ? 12 : 4, .batch_size = 8};
  return cfg;
}

engine::JobResult run(const ExperimentConfig& cfg) {
  return kd_engine_api()->run({.config = cfg, .lowered = lower(cfg)});
}

Tree last_state(const fs::path& folder) {
  ckpts::Manager manager(ckpts::Checkpointer{.save_interval_steps = 1}, folder, true);
  return manager.restore().state;
}

bool same(const Tree& a, const Tree& b) {
  const auto x = flatten(a), y = flatten(b);
  if (x.size() != y.size()) return false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i].first != y[i].first || !at::equal(x[i].second, y[i].second)) return false;
  }
  return true;
}

// Only children compute: a process that forks has one thread.
pid_t start(const ExperimentConfig& cfg) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  at::set_num_threads(1);
  try {
    run(cfg);
    ::_exit(0);
  } catch (...) {
    ::_exit(1);
  }
}

int wait_for(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Experiment, KilledAtAnyMomentEndsTheSame) {
  const base::TempFolder folder;
  const fs::path killed = folder.path() / "killed", whole = folder.path() / "whole";
  ASSERT_EQ(wait_for(start(saved_often(whole))), 0);
  const int times = std::getenv("KD_TEST_FULL") ? 20 : 3;
  std::mt19937 random(7);
  std::int64_t last = -1;
  for (int i = 0; i < times; ++i) {
    const pid_t child = start(saved_often(killed));
    // Every second one before it comes to anything; the others after a checkpoint or two.
    const ckpts::Manager reader(ckpts::Checkpointer{.save_interval_steps = 1}, killed, true);
    auto moved_on = [&] { return i % 2 == 0 || reader.latest_step().value_or(-1) > last; };
    bool ended = false;
    while (!ended && !moved_on()) {
      ended = ::waitpid(child, nullptr, WNOHANG) == child;
      ::usleep(200);
    }
    if (ended) {  // too late for a kill: once more
      fs::remove_all(killed);
      last = -1;
      --i;
      continue;
    }
    ::usleep(random() % 60'000);
    ::kill(child, SIGKILL);
    wait_for(child);
    last = reader.latest_step().value_or(-1);
    if (fs::exists(killed / "checkpoints")) EXPECT_TRUE(fs::exists(killed / "config.yaml"));
  }
  EXPECT_GE(last, 0);
  ASSERT_EQ(wait_for(start(saved_often(killed))), 0);
  EXPECT_TRUE(same(last_state(killed), last_state(whole)));
  // What was logged is the same, too, but for speeds.
  for (const char* file : {"val/metrics.csv"}) {
    EXPECT_EQ(base::read_file(killed / file), base::read_file(whole / file)) << file;
  }
}

TEST(Experiment, KeepsItsConfig) {
  const base::TempFolder folder;
  const ExperimentConfig cfg = config(folder.path() / "run");
  EXPECT_EQ(run(cfg).step, 15);
  const auto again = tfimm::train::parse_args(
      ExperimentConfig{}, {"--cfg_file=" + (folder.path() / "run/config.yaml").string()});
  ExperimentConfig named = again;
  named.cfg_file = "";
  EXPECT_TRUE(tfimm::train::same(named, cfg));
}

TEST(Experiment, MayKeepNothing) {
  ExperimentConfig cfg = config("");
  EXPECT_EQ(run(cfg).step, 15);
}

TEST(Experiment, NamesAFolderThatCannotBeWritten) {
  const base::TempFolder folder;
  const fs::path file = folder.path() / "file";
  std::ofstream(file) << "x";
  EXPECT_THAT(error_of([&] { run(config(file / "run")); }), HasSubstr(file.string()));
  EXPECT_THAT(error_of([&] { run(config("/proc/kd_run")); }), HasSubstr("/proc/kd_run"));
}

TEST(Experiment, GoesOnWithACheckpointBeforeItsFirstOne) {
  const base::TempFolder folder;
  ExperimentConfig first = config(folder.path() / "first");
  run(first);
  auto& trainer = first.trainer.as<TrainerConfig>();
  // Of a run, of one of its checkpoints, and of the model it saved: the model only.
  for (const char* from : {"first", "first/checkpoints/ckpt_15", "first/model"}) {
    trainer = TrainerConfig{.ckpt_dir = (folder.path() / "second" / from).string(),
                            .init_ckpt = (folder.path() / from).string(),
                            .verbose = false};
    first.timekeeping = Timekeeping{.nb_epochs = 0, .batch_size = 8};
    EXPECT_EQ(run(first).step, 0) << from;
    EXPECT_TRUE(fs::exists(fs::path(trainer.ckpt_dir) / "config.yaml"));
    const Tree state = last_state(trainer.ckpt_dir);
    EXPECT_TRUE(same(state.at("params"), last_state(folder.path() / "first").at("params"))) << from;
    EXPECT_EQ(state.at("opt_state").at("count").tensor().item<int>(), 0) << from;
  }
  // A run that has checkpoints goes on with them.
  trainer.init_ckpt = "/nowhere";
  EXPECT_EQ(run(first).step, 0);
  trainer.ckpt_dir = (folder.path() / "third").string();
  EXPECT_THAT(error_of([&] { run(first); }), HasSubstr("/nowhere does not exist"));
  // Checkpoints are never written over.
  trainer =
      TrainerConfig{.ckpt_dir = (folder.path() / "first").string(), .resume_from_ckpt = false};
  EXPECT_THAT(error_of([&] { run(first); }),
              AllOf(HasSubstr("resume_from_ckpt"), HasSubstr("has checkpoints")));
}

}  // namespace
}  // namespace experiment_test
