// A user's own classes in experiments.
#include "base/durable.h"
#include "base/file.h"
#include "examples/tfimm/own_problem.cc"  // NOLINT(bugprone-suspicious-include): what is tested
#include "kd/ckpts/engine/manager.h"
#include "kd/model.h"
#include "kd/problems/experiments_test.h"
#include "kd/problems/modules.h"
#include "kd/problems/storage.h"

namespace perceptron {

struct Perceptron : nn::Module<Perceptron> {
  int nb_classes = 10;
  Tensor call(const Tensor& image) const {
    return nn::named("head", nn::Dense{.features = nb_classes})(nn::flatten(image));
  }
};

struct PerceptronConfig {
  int nb_classes = 10;  // logits
};
struct PerceptronFactory : problems::ModelBase {
  using cfg_class = PerceptronConfig;
  explicit PerceptronFactory(const PerceptronConfig& cfg) : cfg(cfg) {}
  // Pixels from 0 to 255 become numbers from 0 to 1.
  problems::ModelParts model() const override {
    return {.module = problems::Preprocess{.model = Perceptron{.nb_classes = cfg.nb_classes},
                                           .std = {255}}};
  }
  PerceptronConfig cfg;
};

// Without Preprocess.
struct BareFactory : problems::ModelBase {
  using cfg_class = PerceptronConfig;
  explicit BareFactory(const PerceptronConfig& cfg) : cfg(cfg) {}
  problems::ModelParts model() const override { return {.module = Perceptron()}; }
  PerceptronConfig cfg;
};

}  // namespace perceptron

KD_COMPONENT(kd::Module, perceptron::Perceptron);

namespace keep_all {

struct KeepAllTrainer : problems::SingleGPUTrainer {
  using SingleGPUTrainer::SingleGPUTrainer;
  void lower_into(train::Trainer& trainer, const problems::Experiment& of) const override {
    SingleGPUTrainer::lower_into(trainer, of);
    trainer.checkpointer.as<problems::EpochCheckpointer>().max_to_keep = {};
  }
};

}  // namespace keep_all

namespace counting {

// Keeps what it was asked for in a member.
struct CountingConfig {
  std::string file;     // where save_model says it
  int fails_after = 0;  // steps; 0: never
};
struct CountingProblem : problems::ProblemBase {
  using cfg_class = CountingConfig;
  explicit CountingProblem(const CountingConfig& cfg) : cfg(cfg) {}
  problems::Logs train_step(const Tree&, std::int64_t) override {
    if (++steps == cfg.fails_after) at::full({2}, 0.0).add_(at::full({3}, 0.0));
    return {};
  }
  std::optional<problems::Logs> validation(const data::Dataset&) override {
    return problems::Logs{.metrics = {{"steps", static_cast<double>(steps)}}};
  }
  void save_model(const std::filesystem::path&) override {
    base::write_synced(cfg.file, std::to_string(steps));
  }
  CountingConfig cfg;
  int steps = 0;
};

}  // namespace counting

CFG_SERIALIZABLE(perceptron::PerceptronFactory);
CFG_SERIALIZABLE(perceptron::BareFactory);
CFG_SERIALIZABLE(keep_all::KeepAllTrainer);
CFG_SERIALIZABLE(counting::CountingProblem);

namespace kd::problems {
namespace {

class OwnClasses : public Experiments {
 protected:
  ExperimentConfig line(const char* folder = "run") const {
    ExperimentConfig cfg = config(3);
    cfg.trainer = TrainerConfig{.ckpt_dir = (folder_.path() / folder).string()};
    cfg.problem = line::LineConfig{.lr = 0.5};
    cfg.problem_class = "LineProblem";
    for (auto* dataset : {&cfg.train_dataset, &cfg.val_dataset}) *dataset = line::PointsConfig{};
    cfg.train_dataset_class = cfg.val_dataset_class = "PointsDataset";
    return cfg;
  }
};

TEST_F(OwnClasses, AProblemIsStepAndEvaluatorOfTheLoop) {
  Log log;
  const auto result = train(line(), &log);
  EXPECT_EQ(result.state.step, 12);
  EXPECT_NEAR(result.state.params.at("slope").tensor().item<double>(), 3, 0.3);
  EXPECT_THAT(log.order, ElementsAre("val 0", "save 0", "val 4", "save 4", "val 8", "save 8",
                                     "val 12", "save 12"));
  EXPECT_LT(log.values["val/error"][12], log.values["val/error"][0] / 10);
  EXPECT_LT(log.values["train/loss"][11], log.values["train/loss"][0] / 10);
}

TEST_F(OwnClasses, ValidationAndSavingSeeTheMembersOfAProblem) {
  ExperimentConfig cfg = line();
  const auto file = folder_.path() / "steps";
  cfg.problem = counting::CountingConfig{.file = file.string()};
  cfg.problem_class = "CountingProblem";
  Log log;
  train(cfg, &log);
  EXPECT_EQ(log.values["val/steps"],
            (std::map<std::int64_t, double>{{0, 0}, {4, 4}, {8, 8}, {12, 12}}));
  EXPECT_EQ(base::read_file(file), "12");
  // An error of its own code says where that is.
  cfg.problem = counting::CountingConfig{.file = file.string(), .fails_after = 6};
  trainer_of(cfg).ckpt_dir += "1";
  EXPECT_THAT(error_of([&] { train(cfg); }),
              AllOf(HasSubstr("CountingProblem::train_step (step 5): The size of tensor a (2)"),
                    ::testing::Not(HasSubstr("frame #"))));
  cfg.problem = counting::CountingConfig{.file = "/proc/none/steps"};
  trainer_of(cfg).ckpt_dir += "1";
  EXPECT_THAT(error_of([&] { train(cfg); }), HasSubstr("CountingProblem::save_model: /proc/none"));
  cfg.problem = counting::CountingConfig{.file = file.string()};
  // Another run has another object.
  trainer_of(cfg).ckpt_dir += "2";
  Log other;
  train(cfg, &other);
  EXPECT_EQ(other.values["val/steps"][4], 4);
}

TEST_F(OwnClasses, AProblemGoesOnBitForBit) {
  const auto whole = train(line("whole"));
  for (int stop : {1, 5, 9}) {
    const ExperimentConfig cfg = line(("stop" + std::to_string(stop)).c_str());
    int asked = 0;
    const auto trainer = resolved(lower(cfg));
    ASSERT_TRUE(train::train(*trainer, {.should_stop = [&] { return ++asked > stop; }}).stopped);
    EXPECT_TRUE(same(train(cfg).state.params, whole.state.params)) << stop;
  }
}

TEST_F(OwnClasses, ATrainerChangesWhatIsKept) {
  ExperimentConfig cfg = line();
  cfg.trainer_class = "KeepAllTrainer";
  train(cfg);
  const ckpts::Manager saved(ckpts::Checkpointer{.save_interval_steps = 1}, folder_.path() / "run",
                             /*read_only=*/true);
  EXPECT_THAT(saved.all_steps(), ElementsAre(0, 4, 8, 12));
}

TEST_F(OwnClasses, AModelIsFoundByItsNameOrItsClass) {
  ExperimentConfig cfg = config(1);
  problem_of(cfg).model = ModelConfig{.model_name = "Perceptron", .nb_classes = 10};
  Log by_name, by_class;
  train(cfg, &by_name);
  EXPECT_LT(by_name.values["train/loss"][9], by_name.values["train/loss"][0]);
  problem_of(cfg).model = perceptron::PerceptronConfig{};
  problem_of(cfg).model_class = "PerceptronFactory";
  trainer_of(cfg).ckpt_dir = "";
  train::Trainer trainer = *resolved(lower(cfg));
  trainer.workdir = (folder_.path() / "other").string();
  train::train(trainer, {.on_event = std::ref(by_class)});
  EXPECT_LT(by_class.values["train/loss"][9], by_class.values["train/loss"][0]);
  problem_of(cfg).model = ModelConfig{.model_name = "Perceptron", .drop_rate = 0.5};
  problem_of(cfg).model_class = "ModelFactory";
  EXPECT_THAT(error_of([&] { lower(cfg); }),
              AllOf(HasSubstr("problem.model.drop_rate"), HasSubstr("Perceptron has no such")));
}

TEST_F(OwnClasses, AModelWithoutAKeyNeedsPreprocess) {
  ExperimentConfig cfg = config();
  problem_of(cfg).model = perceptron::PerceptronConfig{};
  problem_of(cfg).model_class = "BareFactory";
  EXPECT_THAT(error_of([&] { lower(cfg); }),
              HasSubstr("problem.model: perceptron::Perceptron has no key that finds the images; "
                        "put problems::Preprocess around it"));
}

TEST_F(OwnClasses, AClassOfAnotherKindIsRefused) {
  ExperimentConfig cfg = config();
  cfg.problem = train_data();
  cfg.problem_class = "TFDSWrapper";
  EXPECT_THAT(error_of([&] { lower(cfg); }),
              AllOf(HasSubstr("problem"), HasSubstr("TFDSWrapper is not a problem")));
}

}  // namespace
}  // namespace kd::problems
