// Whole experiments on Fashion-MNIST: what happens when, what is logged, what is saved.
#include "base/file.h"
#include "kd/ckpts/engine/manager.h"
#include "kd/ckpts/retention.h"
#include "kd/data/engine/dataset.h"
#include "kd/data/engine/pipeline.h"
#include "kd/data/engine/records.h"
#include "kd/exports/engine/model.h"
#include "kd/problems/experiments_test.h"
#include "kd/problems/passes.h"
#include "kd/problems/storage.h"

namespace classification_test {

using namespace kd;

// T-shirts and trousers of Fashion-MNIST.
struct TwoClasses {
  data::RecordsPtr open() const {
    const auto all =
        data::py::Tfds{.name = "fashion_mnist", .split = "test[:1000]", .shuffle = false}.records();
    std::vector<std::int64_t> ids;
    for (std::int64_t i = 0; i < all->size(); ++i) {
      if (all->read(i).at("label").tensor().item<int>() < 2) ids.push_back(i);
    }
    return data::in_memory(all->gather(ids));
  }
};

struct TwoClassesConfig {
  int batch_size = 32;
};
struct TwoClassesDataset : problems::DatasetBase {
  using cfg_class = TwoClassesConfig;
  explicit TwoClassesDataset(const TwoClassesConfig& cfg) : cfg(cfg) {}
  Poly<Pipeline> pipeline() const override {
    return problems::Passes{.source = TwoClasses{}, .shuffle = true, .batch_size = cfg.batch_size};
  }
  TwoClassesConfig cfg;
};

}  // namespace classification_test

KD_COMPONENT(kd::Source, classification_test::TwoClasses);
CFG_SERIALIZABLE(classification_test::TwoClassesDataset);

namespace kd::problems {
namespace {

TEST_F(Experiments, AreValidatedAndSavedAroundTheirEpochs) {
  ExperimentConfig cfg = config();
  trainer_of(cfg).validation_every_it = 4;
  trainer_of(cfg).ckpt_every_it = 6;
  Log log;
  const auto result = train(cfg, &log);
  EXPECT_EQ(result.state.step, 20);
  EXPECT_THAT(log.order,
              ElementsAre("val 0", "save 0", "val 5", "save 7", "val 9", "val 10", "save 10",
                          "val 15", "save 17", "val 19", "val 20", "save 20"));
  EXPECT_EQ(log.values["train/loss"].size(), 20U);
  EXPECT_EQ(log.values["train/epoch"][9], 0);
  EXPECT_EQ(log.values["train/epoch"][10], 1);
  EXPECT_GT(log.values["val/acc"][20], log.values["val/acc"][0]);
  EXPECT_GT(log.values["val/acc"][20], 0.3);
  // The newest three: nothing is twelve hours old.
  const ckpts::Manager saved(ckpts::Checkpointer{.save_interval_steps = 1},
                             trainer_of(cfg).ckpt_dir, /*read_only=*/true);
  EXPECT_THAT(saved.all_steps(), ElementsAre(10, 17, 20));
}

TEST(NewestAndSpaced, KeepsOneOfEachInterval) {
  auto kept = [](std::vector<double> times) {
    std::vector<ckpts::Info> infos;
    for (double time : times) infos.push_back({.step = 0, .time = time});
    return NewestAndSpaced{.newest = 2, .interval_secs = 10, .since = 100}.kept(infos);
  };
  EXPECT_THAT(kept({100}), ElementsAre(true));
  EXPECT_THAT(kept({100, 105, 109}), ElementsAre(false, true, true));
  EXPECT_THAT(kept({109, 111, 112, 113}), ElementsAre(false, true, true, true));
  // The next one is ten seconds younger than the one that stays.
  EXPECT_THAT(kept({111, 120, 121, 122, 123}), ElementsAre(true, false, true, true, true));
}

// Changed epochs leave what was measured before: another one would not be made there.
TEST_F(Experiments, ResumedWithOtherEpochsKeepTheirValidation) {
  ExperimentConfig cfg = config();
  cfg.train_dataset.as<TFDSConfig>().repeat = true;
  auto set_time = [&](int epochs, int steps) {
    cfg.timekeeping =
        Timekeeping{.nb_epochs = epochs, .batch_size = 32, .nb_samples_per_epoch = 32 * steps};
  };
  set_time(1, 10);
  train(cfg);
  const fs::path file = fs::path(trainer_of(cfg).ckpt_dir) / "val/metrics.csv";
  const std::string before = base::read_file(file);
  EXPECT_THAT(before, HasSubstr("\n10,"));
  set_time(2, 8);
  Log log;
  train(cfg, &log);
  EXPECT_THAT(log.order, ElementsAre("val 16", "save 16"));
  EXPECT_THAT(base::read_file(file), ::testing::StartsWith(before));
  // Fewer epochs than were made: nothing is left to do, and nothing is lost.
  const std::string all = base::read_file(file);
  set_time(1, 8);
  train(cfg);
  EXPECT_EQ(base::read_file(file), all);
}

TEST_F(Experiments, ADamagedCheckpointIsSetAside) {
  ExperimentConfig cfg = config(1);
  const auto whole = train(cfg);
  const fs::path newest = fs::path(trainer_of(cfg).ckpt_dir) / "checkpoints/ckpt_10";
  fs::resize_file(newest / "state.safetensors", 100);
  EXPECT_TRUE(same(train(cfg).state.params, whole.state.params));
  EXPECT_TRUE(fs::exists(newest.string() + ".damaged"));
}

// So that the folder is free when the mistake is mended.
TEST_F(Experiments, WrongLabelsAreFoundBeforeACheckpoint) {
  ExperimentConfig cfg = config(1);
  problem_of(cfg).model = ModelConfig{.model_name = "mlp", .nb_classes = 5};
  EXPECT_THAT(error_of([&] { train(cfg); }), HasSubstr("labels: expected 0 to 4, got 9"));
  problem_of(cfg).model = ModelConfig{.model_name = "mlp", .nb_classes = 10};
  EXPECT_EQ(train(cfg).state.step, 10);
}

TEST_F(Experiments, LogMeansSinceTheStartOfTheEpoch) {
  ExperimentConfig cfg = config();
  problem_of(cfg).weight_decay = 1e-4;
  Log log;
  train(cfg, &log);
  for (std::int64_t step : {0, 9, 10, 19}) {
    EXPECT_NEAR(log.values["train/loss"][step],
                log.values["train/ce_loss"][step] + log.values["train/reg_loss"][step], 1e-5);
  }
  // The first one of an epoch is its own: it starts below the mean of the epoch before.
  EXPECT_LT(log.values["train/ce_loss"][10], log.values["train/ce_loss"][9]);
  EXPECT_GT(log.values["train/acc"][19], log.values["train/acc"][0]);
  EXPECT_GT(log.values["train/reg_loss"][0], 0);
}

TEST_F(Experiments, SamplesEndAnEpochAndTheDataGoesOn) {
  ExperimentConfig cfg = config(4);
  cfg.timekeeping = Timekeeping{.nb_epochs = 4, .batch_size = 32, .nb_samples_per_epoch = 100};
  Log log;
  // Epochs of 4 batches in passes of 10: 4, 4, 2, 4.
  EXPECT_EQ(train(cfg, &log).state.step, 14);
  EXPECT_THAT(log.order, ElementsAre("val 0", "save 0", "val 4", "save 4", "val 8", "save 8",
                                     "val 10", "save 10", "val 14", "save 14"));
}

TEST_F(Experiments, AreSavedAsModels) {
  ExperimentConfig cfg = config(1);
  problem_of(cfg).save_input_dtype = "uint8";
  // A run that was killed left something.
  const fs::path left = fs::path(trainer_of(cfg).ckpt_dir) / "model.writing-7";
  fs::create_directories(left);
  const auto result = train(cfg);
  EXPECT_FALSE(fs::exists(left));
  const Model model = load_model(fs::path(trainer_of(cfg).ckpt_dir) / "model");
  EXPECT_EQ(model.element_spec().at("image").tensor().scalar_type(), at::kByte);
  const auto batches = data::open(TFDSWrapper(data("test", 50, 50)).pipeline());
  const Tree batch = *batches.iterate().next();
  const Tensor logits = model(Tree::dict({{"image", batch.at("image").tensor().to(at::kByte)}}))
                            .at("logits")
                            .tensor();
  EXPECT_EQ(logits.sizes(), (std::vector<std::int64_t>{50, 10}));
  EXPECT_LT(logits.sum(-1).abs().max().item<double>(), 1e-4);
}

TEST_F(Experiments, ClassifyTwoClassesWithOneLogit) {
  ExperimentConfig cfg = config(6);
  problem_of(cfg).binary_loss = true;
  problem_of(cfg).model = ModelConfig{.model_name = "cnn", .nb_classes = 2};
  EXPECT_THAT(error_of([&] { train(cfg); }), HasSubstr("set nb_classes of the model to 1"));
  problem_of(cfg).model = ModelConfig{.model_name = "mlp", .nb_classes = 1};
  EXPECT_THAT(error_of([&] { train(cfg); }), HasSubstr("labels"));
  cfg.train_dataset = cfg.val_dataset = classification_test::TwoClassesConfig{};
  cfg.train_dataset_class = cfg.val_dataset_class = "TwoClassesDataset";
  Log log;
  train(cfg, &log);
  auto& losses = log.values["train/ce_loss"];
  EXPECT_LT(losses.rbegin()->second, losses[0] / 2);
  EXPECT_GT(log.values["val/acc"].rbegin()->second, 0.9);
  // The saved model has a logit for each class.
  const Model model = load_model(fs::path(trainer_of(cfg).ckpt_dir) / "model");
  const Tensor images = at::zeros({3, 28, 28, 1});
  EXPECT_EQ(model(Tree::dict({{"image", images}})).at("logits").tensor().size(1), 2);
}

// With KD_TEST_FULL all of Fashion-MNIST, else a part of it.
TEST_F(Experiments, LearnFashionMnist) {
  const bool full = std::getenv("KD_TEST_FULL") != nullptr;
  ExperimentConfig cfg = config(full ? 3 : 1);
  cfg.train_dataset = data("train", full ? -1 : 6000, 128);
  cfg.train_dataset.as<TFDSConfig>().shuffle = true;
  cfg.val_dataset = data("test", full ? -1 : 1000, 500);
  Log log;
  train(cfg, &log);
  EXPECT_GT(log.values["val/acc"].rbegin()->second, full ? 0.85 : 0.7);
}

}  // namespace
}  // namespace kd::problems
