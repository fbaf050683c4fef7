// Small experiments for tests.
#pragma once

#include <ATen/ops/equal.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "base/temp_folder.h"
#include "kd/core/ops.h"
#include "kd/problems/model_factory.h"
#include "kd/problems/optimizer_factory.h"
#include "kd/problems/shipped_problems.h"
#include "kd/problems/single_gpu_trainer.h"
#include "kd/problems/tfds_wrapper.h"
#include "kd/train/engine/train.h"
#include "kd/train/engine/train_step.h"
#include "kd/train/trainer.h"
#include "kd/writers/engine/writer.h"
#include "konfig/expect_test.h"
#include "konfig/konfig.h"

namespace kd::problems {

namespace fs = std::filesystem;
using konfig::ConfigDict;
using konfig::error_of;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using train::Event;
using train::Trainer;

// Everything but speeds that a run wrote, "train/loss" by step, and in which order.
struct Log {
  std::map<std::string, std::map<std::int64_t, double>> values;
  std::vector<std::string> order;
  void operator()(const Event& e) {
    if (e.kind == Event::Kind::save) order.push_back("save " + std::to_string(e.step));
    if (e.kind != Event::Kind::write) return;
    if (e.collection != "train") {
      order.push_back(std::string(e.collection) + " " + std::to_string(e.step));
    }
    for (auto& [name, value] : e.record->scalars) {
      if (name.starts_with("perf_stats/")) continue;
      values[std::string(e.collection) + "/" + name][e.step] = value;
    }
  }
};

inline bool same(const Tree& a, const Tree& b) {
  const auto x = flatten(a), y = flatten(b);
  if (x.size() != y.size()) return false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i].first != y[i].first || !at::equal(x[i].second, y[i].second)) return false;
  }
  return true;
}

class Experiments : public ::testing::Test {
 protected:
  static TFDSConfig data(const char* split, int samples, int batch_size) {
    return {.dataset_name = "fashion_mnist",
            .split = split,
            .input_size = std::vector<int>(),
            .batch_size = batch_size,
            .nb_samples = samples};
  }
  static OptimizerConfig adam(double lr = 1e-3) {
    return {.lr_schedule = LRConstConfig{.lr = lr},
            .lr_schedule_class = "LRConstFactory",
            .optimizer = "adam"};
  }
  // 10 batches of 32 in a pass.
  ExperimentConfig config(int epochs = 2) const {
    return {
        .trainer = TrainerConfig{.ckpt_dir = (folder_.path() / "run").string()},
        .trainer_class = "SingleGPUTrainer",
        .timekeeping = Timekeeping{.nb_epochs = epochs, .batch_size = 32},
        .timekeeping_class = "Timekeeping",
        .problem = ClassificationConfig{.model = ModelConfig{.model_name = "mlp", .nb_classes = 10},
                                        .model_class = "ModelFactory",
                                        .optimizer = adam()},
        .problem_class = "ClassificationProblem",
        .train_dataset = train_data(),
        .train_dataset_class = "TFDSWrapper",
        .val_dataset = data("test[5000:]", 100, 64),
        .val_dataset_class = "TFDSWrapper"};
  }
  static TFDSConfig train_data() {
    TFDSConfig out = data("test[:5000]", 310, 32);  // a small file
    out.shuffle = true;
    return out;
  }
  static TrainerConfig& trainer_of(ExperimentConfig& cfg) {
    return cfg.trainer.as<TrainerConfig>();
  }
  static ClassificationConfig& problem_of(ExperimentConfig& cfg) {
    return cfg.problem.as<ClassificationConfig>();
  }

  static std::shared_ptr<const Trainer> resolved(const ConfigDict& config) {
    return konfig::resolve<Trainer>(config);
  }
  static train::TrainResult train(const ExperimentConfig& cfg, Log* log = nullptr) {
    train::RunOptions options;
    if (log) options.on_event = std::ref(*log);
    return train::train(*resolved(lower(cfg)), options);
  }

  base::TempFolder folder_{"kd_problems_"};
};

}  // namespace kd::problems
