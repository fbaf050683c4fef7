// Whole experiments on Fashion-MNIST: what happens when, what is logged, what is saved.
#include "kd/ckpts/engine/manager.h"
#include "kd/data/engine/dataset.h"
#include "kd/exports/engine/model.h"
#include "kd/problems/experiments_test.h"

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
  // The newest three, and the first, which is that of its twelve hours.
  const ckpts::Manager saved(ckpts::Checkpointer{.save_interval_steps = 1},
                             trainer_of(cfg).ckpt_dir, /*read_only=*/true);
  EXPECT_THAT(saved.all_steps(), ElementsAre(0, 10, 17, 20));
}

TEST_F(Experiments, LogMeansSinceTheStartOfTheEpoch) {
  ExperimentConfig cfg = config();
  problem_of(cfg).weight_decay = 1e-4;
  Log log;
  std::vector<double> losses;
  const auto trainer = resolved(lower(cfg));
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
  const auto result = train(cfg);
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
}

}  // namespace
}  // namespace kd::problems
