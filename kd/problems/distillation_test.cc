// Distillation: a student learns the embeddings of a teacher.
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>

#include "kd/exports/engine/model.h"
#include "kd/problems/engine/problem.h"
#include "kd/problems/experiments_test.h"
#include "kd/problems/passes.h"

namespace distillation_test {

using namespace kd;

// How long embeddings are on the mean.
struct LengthConfig {
  int n = 20;
};
struct LengthDataset : problems::ValidatingDataset {
  using cfg_class = LengthConfig;
  explicit LengthDataset(const LengthConfig& cfg) : cfg(cfg) {}
  Poly<Pipeline> pipeline() const override {
    return problems::Passes{.name = "fashion_mnist", .split = "test", .batch_size = cfg.n};
  }
  problems::Logs validation(const Embed& model) const override {
    const double length =
        model(at::full({cfg.n, 28, 28, 1}, 100.0)).norm(2, -1).mean().item<double>();
    return {.value = length, .metrics = {{"length", length}}};
  }
  LengthConfig cfg;
};

}  // namespace distillation_test

CFG_SERIALIZABLE(distillation_test::LengthDataset);

namespace kd::problems {
namespace {

class Distillation : public Experiments {
 protected:
  ExperimentConfig distillation(int epochs) const {
    ExperimentConfig cfg = config(epochs);
    TFDSConfig images = train_data();
    images.include_label = false;
    cfg.train_dataset = images;
    cfg.problem =
        DistillationConfig{.student = EmbeddingModelConfig{.backbone_name = "mlp", .embed_dim = 16},
                           .student_class = "EmbeddingModelFactory",
                           .teacher = EmbeddingModelConfig{.backbone_name = "cnn", .embed_dim = 16},
                           .teacher_class = "EmbeddingModelFactory",
                           .optimizer = adam(),
                           .weight_decay = 0.01};
    cfg.problem_class = "DistillationProblem";
    return cfg;
  }
};

TEST_F(Distillation, TheLossHalvesAndTheTeacherStays) {
  const ExperimentConfig cfg = distillation(3);
  Log log;
  const auto start = train::init_state(*resolved(lower(cfg)));
  const Tree teacher = map(start.params.at("teacher"), [](const Tensor& t) { return t.clone(); });
  const auto end = train(cfg, &log);
  auto& losses = log.values["train/l2_loss"];
  EXPECT_LT(losses.rbegin()->second, losses[0] / 2);
  EXPECT_NEAR(log.values["train/loss"][0], losses[0] + log.values["train/reg_loss"][0], 1e-5);
  EXPECT_EQ(log.values["train/steps"][0], 1);
  EXPECT_NEAR(log.values["train/lr"][0], 1e-3, 1e-9);
  EXPECT_TRUE(same(end.state.params.at("teacher"), teacher));
  // The student is what is saved.
  const Model saved = load_model(fs::path(cfg.trainer.as<TrainerConfig>().ckpt_dir) / "model");
  EXPECT_TRUE(same(saved.params(), end.state.params.at("student")));
}

TEST_F(Distillation, ADatasetMayValidate) {
  ExperimentConfig cfg = distillation(1);
  Log log;
  ::testing::internal::CaptureStderr();
  train(cfg, &log);
  EXPECT_FALSE(log.values.contains("val/length"));  // TFDSWrapper does not
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("warning: val_dataset: TFDSWrapper does not validate embeddings"));
  cfg.trainer.as<TrainerConfig>().ckpt_dir += "2";
  cfg.val_dataset = distillation_test::LengthConfig{};
  cfg.val_dataset_class = "LengthDataset";
  train(cfg, &log);
  EXPECT_GT(log.values["val/length"][10], 0);
}

TEST_F(Distillation, ATeacherMayBeASavedModel) {
  ExperimentConfig first = config(1);
  problem_of(first).model = ModelConfig{.model_name = "mlp", .nb_classes = 16};
  train(first);
  ExperimentConfig cfg = distillation(1);
  auto& problem = cfg.problem.as<DistillationConfig>();
  cfg.trainer.as<TrainerConfig>().ckpt_dir += "2";
  problem.teacher = SavedModelConfig{.path = trainer_of(first).ckpt_dir + "/model"};
  problem.teacher_class = "SavedModel";
  const auto end = train(cfg);
  const Model saved = load_model(trainer_of(first).ckpt_dir + "/model");
  EXPECT_TRUE(same(end.state.params.at("teacher").at("model"), saved.params()));
  problem.student.as<EmbeddingModelConfig>().embed_dim = 8;
  cfg.trainer.as<TrainerConfig>().ckpt_dir += "3";
  EXPECT_THAT(error_of([&] { train(cfg); }), HasSubstr("set embed_dim of both to one number"));
}

TEST_F(Distillation, EmbeddingsMayBeNormalized) {
  for (bool normalize : {true, false}) {
    ExperimentConfig cfg = distillation(1);
    cfg.problem.as<DistillationConfig>().normalize_embeddings = normalize;
    cfg.trainer.as<TrainerConfig>().ckpt_dir += normalize ? "n" : "p";
    Log log;
    train(cfg, &log);
    // Vectors of length 1 are at most 2 apart.
    if (normalize) EXPECT_LE(log.values["train/l2_loss"][0], 4);
    EXPECT_GT(log.values["train/l2_loss"][0], 0);
  }
}

}  // namespace
}  // namespace kd::problems
