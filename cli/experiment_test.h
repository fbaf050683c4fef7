// What the tests of kd run share: a small experiment, and a folder to run it in.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "cli/spawn_test.h"
#include "test_paths.h"

namespace cli {

inline constexpr const char* kExperiment = R"(trainer_class: SingleGPUTrainer
timekeeping_class: Timekeeping
timekeeping: {nb_epochs: 1, batch_size: 32, nb_samples_per_epoch: 320}
problem_class: ClassificationProblem
problem:
  model_class: ModelFactory
  model: {model_name: mlp, nb_classes: 10}
  optimizer:
    lr_schedule_class: LRConstFactory
    lr_schedule: {lr: 0.1}
train_dataset_class: TFDSWrapper
train_dataset:
  dataset_name: fashion_mnist
  split: train
  input_size: !!python/tuple [28, 28]
  batch_size: 32
)";

class Experiment : public testing::Test {
 protected:
  Experiment() { write_text(folder / "exp.yaml", kExperiment); }

  Outcome run(std::vector<std::string> flags,
              std::vector<std::pair<std::string, std::string>> env = {}) {
    flags.insert(flags.begin(), "run");
    // One cache for all tests: kd.h is precompiled once.
    env.emplace_back("XDG_CACHE_HOME", KD_BINARY_DIR "/cli_test_cache");
    return kd(flags, {.env = std::move(env), .folder = folder.path()});
  }

  TempFolder folder;
};

inline constexpr const char* kOwnClass = R"(#include "tfimm/train/train.h"
struct LoadedConfig {
  tfimm::train::Required<int> width;  // units of the hidden layer
};
struct LoadedModel {
  using cfg_class = LoadedConfig;
  static inline constexpr std::string_view cfg_role = "model";
};
CFG_SERIALIZABLE(LoadedModel);
)";

// A training of two steps.
inline const std::vector<std::string> kShort = {"--cfg_file=exp.yaml",
                                                "--timekeeping.batch_size=8",
                                                "--timekeeping.nb_samples_per_epoch=16",
                                                "--train_dataset.nb_samples=16",
                                                "--train_dataset.batch_size=8",
                                                "--threads=1"};

inline std::vector<std::string> shortly(std::vector<std::string> more) {
  more.insert(more.begin(), kShort.begin(), kShort.end());
  return more;
}

}  // namespace cli
