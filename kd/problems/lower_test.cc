// From experiments to trainers and back, and what cannot be lowered.
#include <cmath>

#include "kd/problems/experiments_test.h"
#include "kd/problems/run.h"
#include "konfig/json.h"
#include "tfimm/train/formats.h"

namespace kd::problems {
namespace {

using ::testing::Not;
using Lowering = Experiments;

ConfigDict through_json(const ConfigDict& config) {
  return konfig::config_from_json(konfig::to_json(config, {.indent = 2}));
}

TEST_F(Lowering, ConvertsBack) {
  ExperimentConfig cfg = config();
  problem_of(cfg).weight_decay = 0.01;
  problem_of(cfg).optimizer.as<OptimizerConfig>().betas = {0.8, 0.99};
  cfg.experiment_name = "a";
  const ConfigDict config = lower(cfg);
  EXPECT_TRUE(tfimm::train::same(experiment_of(config), cfg));
  EXPECT_TRUE(tfimm::train::same(experiment_of(through_json(config)), cfg));
  ConfigDict changed = config;
  changed["optimizer"]["betas"] = konfig::Tuple{0.5, 0.5};
  EXPECT_THAT(error_of([&] { experiment_of(changed); }),
              AllOf(HasSubstr("optimizer.betas"), HasSubstr("was changed after")));
  EXPECT_THAT(error_of([&] { experiment_of(konfig::call("kauldron.kd:train.Trainer")); }),
              HasSubstr("was not lowered from an experiment"));
}

// The lowered config, read from a file and trained, ends bit for bit as the experiment does.
TEST_F(Lowering, TrainsTheSame) {
  ExperimentConfig cfg = config();
  const auto direct = train(cfg);
  ConfigDict config = through_json(lower(cfg));
  config["workdir"] = (folder_.path() / "other").string();
  const auto lowered = train::train(*resolved(config), {.config = config});
  EXPECT_TRUE(same(to_tree(direct.state), to_tree(lowered.state)));
  EXPECT_GT(leaves(to_tree(direct.state)).size(), 20U);
}

TEST_F(Lowering, RefusesWhatHasNoEffect) {
  auto error = [&](auto change) {
    ExperimentConfig cfg = config();
    change(cfg);
    return error_of([&] { lower(cfg); });
  };
  auto model = [&](ModelConfig model) {
    return error([&](ExperimentConfig& cfg) { problem_of(cfg).model = model; });
  };
  EXPECT_THAT(model({.model_name = "cnn", .pretrained = "imagenet"}),
              AllOf(HasSubstr("problem.model.pretrained"), HasSubstr("model_path")));
  EXPECT_THAT(model({.model_name = "cnn", .attn_drop_rate = 0.1}),
              AllOf(HasSubstr("problem.model.attn_drop_rate"), HasSubstr("cnn has no such")));
  EXPECT_THAT(model({.model_name = "cnm"}),
              AllOf(HasSubstr("problem.model.model_name"), HasSubstr("did you mean")));
  EXPECT_THAT(model({.model_name = "cnn", .input_size = {28}}), HasSubstr("height and width"));
  EXPECT_THAT(model({.model_name = "cnn", .nb_classes = 0}),
              AllOf(HasSubstr("problem.model.nb_classes"), HasSubstr("above 0, or -1 for")));
  EXPECT_THAT(model({.model_name = "cnn", .in_channels = 0}),
              HasSubstr("problem.model.in_channels"));
  EXPECT_THAT(model({.model_name = "cnn", .drop_rate = 1.5}),
              AllOf(HasSubstr("problem.model.drop_rate"), HasSubstr("from 0 to 1.0, got 1.5")));
  EXPECT_THAT(model({.model_name = "cnn", .drop_rate = std::nan("")}),
              HasSubstr("problem.model.drop_rate"));
  EXPECT_THAT(model({.model_name = "cnn", .input_size = {0, 0}}), HasSubstr("any, got (0, 0)"));
  auto optimizer = [&](auto change) {
    return error(
        [&](ExperimentConfig& cfg) { change(problem_of(cfg).optimizer.as<OptimizerConfig>()); });
  };
  for (const double lr : {-1.0, double(NAN), double(INFINITY)}) {
    EXPECT_THAT(optimizer([&](auto& cfg) { cfg.lr_schedule = LRConstConfig{.lr = lr}; }),
                HasSubstr("problem.optimizer.lr_schedule.lr: expected a finite number of 0"));
  }
  EXPECT_THAT(optimizer([](auto& cfg) {
                cfg.betas = {0.9, 3};
              }),
              HasSubstr("problem.optimizer.betas: expected a number from 0 to 1.0, got 3.0"));
  EXPECT_THAT(optimizer([](auto& cfg) { cfg.epsilon = -1; }),
              HasSubstr("problem.optimizer.epsilon"));
  EXPECT_THAT(error([](auto& cfg) { cfg.trainer_class = ""; }),
              AllOf(HasSubstr("trainer_class: no class is chosen"), HasSubstr("SingleGPUTrainer"),
                    Not(HasSubstr("ModelFactory"))));
  EXPECT_THAT(error([&](auto& cfg) { problem_of(cfg).model_class = ""; }),
              HasSubstr("problem.model_class: no class is chosen"));
  EXPECT_THAT(error([](auto& cfg) { cfg.problem_class = "ClassificationConfig"; }),
              AllOf(HasSubstr("'ClassificationConfig' is a config"),
                    HasSubstr("; choose ClassificationProblem, ")));
  EXPECT_THAT(
      error([](auto& cfg) { cfg.val_dataset.template as<TFDSConfig>().include_label = false; }),
      HasSubstr("problem: classification needs labels, but val_dataset.include_label"));
  EXPECT_THAT(error([&](auto& cfg) {
                problem_of(cfg).model_class = "EmbeddingModelFactory";
                problem_of(cfg).model =
                    EmbeddingModelConfig{.backbone_name = "cnn", .embed_dim = 0};
              }),
              HasSubstr("problem.model.embed_dim"));
  EXPECT_THAT(error([&](auto& cfg) { trainer_of(cfg).validation_every_it = 0; }),
              AllOf(HasSubstr("trainer.validation_every_it"), HasSubstr("-1 for none")));
  EXPECT_THAT(error([&](auto& cfg) { problem_of(cfg).mixed_precision = true; }),
              AllOf(HasSubstr("problem.mixed_precision"), HasSubstr("CPU")));
  EXPECT_THAT(error([&](auto& cfg) { problem_of(cfg).weight_decay = -1; }),
              HasSubstr("problem.weight_decay"));
  EXPECT_THAT(error([&](auto& cfg) { problem_of(cfg).save_input_dtype = "float23"; }),
              HasSubstr("problem.save_input_dtype"));
  EXPECT_THAT(error([&](auto& cfg) { trainer_of(cfg).ckpt_to_keep = 0; }),
              HasSubstr("trainer.ckpt_to_keep"));
  EXPECT_THAT(error([&](auto& cfg) {
                trainer_of(cfg).ckpt_dir = "";
                cfg.log_wandb = true;
              }),
              AllOf(HasSubstr("trainer.ckpt_dir"), HasSubstr("log_wandb")));
  EXPECT_THAT(error([&](auto& cfg) { cfg.problem_class = "ClassificationProblm"; }),
              AllOf(HasSubstr("problem"), HasSubstr("ClassificationProblem")));
}

TEST_F(Lowering, EpochsMayBeLong) {
  ExperimentConfig cfg = config();
  auto steps = [&](std::int64_t samples) {
    cfg.timekeeping =
        Timekeeping{.nb_epochs = 1, .batch_size = 32, .nb_samples_per_epoch = samples};
    return resolved(lower(cfg))->epochs->steps_per_epoch;
  };
  EXPECT_EQ(steps(0), 0);
  EXPECT_EQ(steps(32), 1);
  EXPECT_EQ(steps(33), 2);
  EXPECT_EQ(steps(std::numeric_limits<int>::max()), 1 << 26);
  EXPECT_EQ(steps(3'000'000'000), 93'750'000);
  EXPECT_THAT(error_of([&] { steps(std::int64_t{1} << 40); }),
              HasSubstr("timekeeping.nb_samples_per_epoch: an epoch would have 34359738368 steps, "
                        "and may have 2147483647"));
}

TEST_F(Lowering, NamesADatasetThatIsNotThere) {
  ExperimentConfig cfg = config();
  cfg.train_dataset.as<TFDSConfig>().dataset_name = "imagenet2012";
  EXPECT_THAT(error_of([&] { train(cfg); }),
              AllOf(HasSubstr("train_ds"), HasSubstr("imagenet2012"), HasSubstr("looked for")));
}

TEST_F(Lowering, DataThatNeverEnds) {
  ExperimentConfig cfg = config();
  cfg.train_dataset.as<TFDSConfig>().repeat = true;
  try {
    train(cfg);
    ADD_FAILURE();
  } catch (const konfig::Error& e) {
    EXPECT_THAT(text_of(in_experiment(e)), AllOf(HasSubstr("timekeeping.nb_samples_per_epoch: "),
                                                 HasSubstr("--train_dataset.repeat=no")));
  }
  cfg.timekeeping = Timekeeping{.nb_epochs = 2, .batch_size = 32, .nb_samples_per_epoch = 64};
  EXPECT_EQ(train(cfg).state.step, 4);
  cfg.val_dataset.as<TFDSConfig>().repeat = true;
  trainer_of(cfg).ckpt_dir += "2";
  EXPECT_THAT(error_of([&] { train(cfg); }),
              AllOf(HasSubstr("evals.val"), HasSubstr("without repeat")));
}

}  // namespace
}  // namespace kd::problems
