// The models of experiments, and the weights they start from.
#include <ATen/ops/zeros.h>

#include "kd/exports/engine/model.h"
#include "kd/io/safetensors.h"
#include "kd/problems/experiments_test.h"
#include "kd/problems/modules.h"
#include "kd/problems/storage.h"

namespace kd::problems {
namespace {

class Models : public Experiments {
 protected:
  // The state of an experiment with this model, on images of Fashion-MNIST.
  train::TrainState start(const ModelConfig& model) const {
    ExperimentConfig cfg = config(1);
    problem_of(cfg).model = model;
    return train::init_state(*resolved(lower(cfg)));
  }
};

TEST_F(Models, ByName) {
  const std::map<std::string, std::int64_t> sizes = {
      {"mlp", 784 * 256 + 256 + 256 * 128 + 128 + 128 * 10 + 10},
      {"cnn", 9 * 32 + 32 + 9 * 32 * 64 + 64 + 7 * 7 * 64 * 128 + 128 + 128 * 10 + 10}};
  for (auto& [name, size] : sizes) {
    EXPECT_EQ(count(start({.model_name = name, .nb_classes = 10}).params), size) << name;
  }
  // 11.2 million parameters and running averages; on one channel the stem is smaller.
  const auto resnet = start({.model_name = "resnet18", .nb_classes = 10});
  EXPECT_NEAR(static_cast<double>(count(resnet.params)), 11.2e6, 0.1e6);
  EXPECT_TRUE(resnet.collections.contains("batch_stats"));
  EXPECT_NEAR(static_cast<double>(count(start({.model_name = "vit_tiny"}).params)), 5.6e6, 0.3e6);
}

TEST_F(Models, WantTheImagesTheyAreFor) {
  EXPECT_THAT(error_of([&] { start({.model_name = "Dense", .nb_classes = -1}); }),
              HasSubstr("model_name: Dense needs 'features'"));
  EXPECT_THAT(error_of([&] { start({.model_name = "cnn", .in_channels = 3}); }),
              AllOf(HasSubstr("images (n, h, w, 3)"), HasSubstr("28, 28, 1")));
  EXPECT_THAT(error_of([&] {
                start({.model_name = "cnn", .input_size = {32, 32}});
              }),
              HasSubstr("images (n, 32, 32, c)"));
}

TEST_F(Models, StartFromWeights) {
  const ModelConfig mlp{.model_name = "mlp", .nb_classes = 10};
  ExperimentConfig cfg = config(1);
  problem_of(cfg).model = mlp;
  const auto trained = train(cfg);
  const std::string folder = trainer_of(cfg).ckpt_dir + "/model";
  ModelConfig again = mlp;
  for (const std::string& path : {folder, folder + "/params.safetensors"}) {
    again.model_path = path;
    EXPECT_TRUE(same(start(again).params, trained.state.params)) << path;
  }
  again.nb_classes = 7;
  EXPECT_THAT(error_of([&] { start(again); }),
              AllOf(HasSubstr("problem.model.model_path: "), HasSubstr("'head."),
                    HasSubstr("another model")));
  again.model_name = "cnn";
  EXPECT_THAT(error_of([&] { start(again); }), HasSubstr("there is no 'Conv_0."));
  again.model_path = "/nowhere.safetensors";
  EXPECT_THAT(error_of([&] { start(again); }),
              HasSubstr("problem.model.model_path: /nowhere.safetensors does not exist"));
  again.model_path = folder + "/model.json";
  EXPECT_THAT(error_of([&] { start(again); }),
              AllOf(HasSubstr("problem.model.model_path: " + again.model_path),
                    HasSubstr("is it a safetensors file?")));
  // An embedding takes all but the last layer.
  const EmbeddingModelFactory embedding(
      {.backbone_name = "mlp", .backbone_model_path = folder, .embed_dim = 16});
  problem_of(cfg).model = embedding.cfg;
  problem_of(cfg).model_class = "EmbeddingModelFactory";
  const Tree params = train::init_state(*resolved(lower(cfg))).params.at("model");
  const Tree wanted = trained.state.params.at("model");
  EXPECT_TRUE(same(params.at("Dense_0"), wanted.at("Dense_0")));
  EXPECT_EQ(params.at("head").at("kernel").tensor().size(1), 16);
}

TEST_F(Models, RunningAveragesAreLoadedToo) {
  ExperimentConfig cfg = config(1);
  cfg.train_dataset = data("test", 8, 8);
  train::Trainer trainer = *resolved(lower(cfg));
  trainer.model.as<Preprocess>().model = ResNet18{.nb_classes = 10, .width = 4};
  const auto trained = train::train(trainer);
  trainer.init_transform = ModelWeights{.path = trainer_of(cfg).ckpt_dir + "/model"};
  const auto again = train::init_state(trainer);
  EXPECT_TRUE(same(again.params, trained.state.params));
  EXPECT_TRUE(same(again.collections, trained.state.collections));
  EXPECT_GT(count(again.collections), 0);
}

TEST_F(Models, SavedOnesArePrepared) {
  ExperimentConfig cfg = config(1);
  train(cfg);
  const SavedModel saved(
      {.path = trainer_of(cfg).ckpt_dir + "/model", .mean = {1.0}, .std = {2.0, 3.0}});
  const ModelParts parts = saved.model();
  EXPECT_EQ(parts.module.as<Preprocess>().mean, (std::vector<double>{1.0}));
  problem_of(cfg).model = saved.cfg;
  problem_of(cfg).model_class = "SavedModel";
  EXPECT_THAT(error_of([&] { train::init_state(*resolved(lower(cfg))); }),
              AllOf(HasSubstr("std"), HasSubstr("one for each of 1 channels, got 2")));
  EXPECT_THAT(error_of([] { SavedModel({.path = "/nowhere"}).model(); }),
              HasSubstr("/nowhere: not a saved model"));
}

}  // namespace
}  // namespace kd::problems
