// Evaluators that do more: few-shot classification, evaluations that go on, readouts.
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>

#include "base/temp_folder.h"
#include "kd/core/durable.h"
#include "kd/core/ops.h"
#include "kd/data/engine/dataset.h"
#include "kd/data/engine/records.h"
#include "kd/evals/engine/continuous_eval.h"
#include "kd/evals/few_shot_impl.h"
#include "kd/exports/engine/model.h"
#include "kd/model.h"
#include "kd/train/engine/forward.h"
#include "kd/writers/engine/writer.h"
#include "konfig/expect_test.h"
#include "konfig/json.h"
#include "konfig/konfig.h"

namespace special_test {

using namespace kd;

std::atomic<int> reads = 0;     // of sources that count
std::atomic<int> fail_at = -1;  // the read that fails

// Three clouds of points, one for each class.
struct Clouds {
  int n = 60;
  bool counts = false;
  std::int64_t size() const { return n; }
  Tree record(std::int64_t i) const {
    if (counts && reads++ == fail_at) {
      throw konfig::Error(konfig::ErrorKind::value, "the disk is gone");
    }
    const auto label = static_cast<float>(i % 3), shift = static_cast<float>(i % 7) / 20;
    Tensor x = at::tensor({label == 0 ? 1.0f : shift, label == 1 ? 1.0f : -shift, shift});
    return Tree::dict({{"x", x}, {"label", at::full({1}, i % 3, at::kInt)}});
  }
};

struct Encoder : nn::Module<Encoder> {
  Key x = Key::required();
  bool norm = false;  // keeps running means, which calls change
  Tree call(const Tensor& x) const {
    Tensor code = nn::named("encoder", nn::Dense{.features = 4})(x);
    if (norm)
      code = nn::named(
          "norm", nn::BatchNorm{.use_running_average = !nn::is_training(), .momentum = 0.5})(code);
    return Tree::dict(
        {{"code", code}, {"x", nn::named("decoder", nn::Dense{.features = 3})(code)}});
  }
};

}  // namespace special_test

KD_COMPONENT(kd::Source, special_test::Clouds);
KD_COMPONENT(kd::Module, special_test::Encoder);

namespace special_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using train::Event;
using train::Trainer;
using Values = std::map<std::string, double>;  // "eval/losses/total@4"

class Special : public ::testing::Test {
 protected:
  void SetUp() override { fail_at = -1; }

  static data::py::DataSource clouds(bool training, bool counts = false) {
    return {.data_source = Clouds{.counts = counts},
            .shuffle = training,
            .num_epochs = training ? std::nullopt : std::optional(1),
            .batch_size = 12,
            .num_workers = 0};
  }
  Config<Trainer> config(const char* run = "run") const {
    Config<Trainer> cfg;
    cfg.workdir = (folder_ / run).string();
    cfg.train_ds = clouds(true);
    cfg.eval_ds = clouds(false);
    cfg.model = Encoder{.x = "batch.x"};
    cfg.num_train_steps = 4;
    cfg.log_metrics_every = 2;
    cfg.train_losses["fit"] = losses::L2{.preds = "preds.x", .targets = "batch.x"};
    cfg.optimizer = optim::Adam{.learning_rate = 0.05};
    cfg.writer = train::KDMetricWriter{.console = false};
    return cfg;
  }
  static train::TrainResult run(const Config<Trainer>& cfg, Values* values = nullptr) {
    return train::train(
        *konfig::resolve<Trainer>(konfig::lower(cfg)), {.on_event = [&](const Event& e) {
          if (!values || e.kind != Event::Kind::write) return;
          for (auto& [name, value] : e.record->scalars) {
            (*values)[std::string(e.collection) + "/" + name + "@" + std::to_string(e.step)] =
                value;
          }
        }});
  }
  static std::string error_of(const Config<Trainer>& cfg) {
    return konfig::error_of([&] { run(cfg); });
  }

  const base::TempFolder folder_;
};

TEST(FewShot, RidgeInClosedForm) {
  // After whitening the points are at -1 and 1, and the border is in the middle: 5.
  const evals::Examples training{at::tensor({4.0, 6.0}).view({2, 1}), at::tensor({0, 1})};
  const evals::Ridge ridge(training, 2);
  const Tensor points = at::tensor({1.0, 4.9, 5.1, 9.0}).view({4, 1});
  EXPECT_EQ(ridge.accuracy({points, at::tensor({0, 0, 1, 1})}, 64), 1.0);
  EXPECT_EQ(ridge.accuracy({points, at::tensor({0, 1, 1, 0})}, 64), 0.5);
  // More examples than features, where the other matrix is taken.
  const evals::Ridge many({at::arange(10, at::kDouble).view({10, 1}), at::arange(10).ge(5)}, 2);
  EXPECT_EQ(many.accuracy({points, at::tensor({0, 1, 1, 1})}, 1024), 1.0);
}

TEST(FewShot, ExamplesOfEachClass) {
  const Tensor labels = at::arange(30).remainder(3);
  for (int seed : {0, 1}) {
    const auto chosen = evals::choose_examples(labels, 3, 4, seed);
    ASSERT_EQ(chosen.size(), 12u);
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      EXPECT_EQ(chosen[i] % 3, static_cast<std::int64_t>(i / 4));
    }
  }
  EXPECT_NE(evals::choose_examples(labels, 3, 4, 0), evals::choose_examples(labels, 3, 4, 1));
}

TEST_F(Special, FewShotClassification) {
  auto few = evals::FewShotEvaluator{
      .run = evals::Once{0},
      .ds_train = clouds(false),
      .ds_val = clouds(false),
      .ds_test = clouds(false),
      .metric_prefix = "clouds",
      .num_classes = 3,
      .num_shots = {2, 10},
      .repr_names = {{"pre_logits", "batch.x"}, {"code", "interms.encoder.__call__[0]"}},
      .label_name = "batch.label",
      .seed = std::vector<int>{1, 2}};
  Config<Trainer> cfg = config();
  cfg.evals["few"] = few;
  Values values;
  run(cfg, &values);
  EXPECT_EQ(values.at("few/metrics/clouds-10shot@0"), 1.0);
  EXPECT_EQ(values.at("few/z_fewshot_all/clouds-pre_logits-10shot@0"), 1.0);
  EXPECT_EQ(values.at("few/z_fewshot_all/clouds-code-10shot@0"), 1.0);
  EXPECT_GE(values.at("few/metrics/clouds-2shot@0"), 0.8);
  EXPECT_TRUE(values.contains("few/z_fewshot_all/z_clouds-code-2shot-1024.00000@0"));
  EXPECT_FALSE(values.contains("few/metrics/clouds-code-10shot@0"));

  few.num_shots = {21};
  cfg.evals["few"] = few;
  EXPECT_THAT(error_of(cfg), AllOf(HasSubstr("evals.few"), HasSubstr("class 0 has 20 examples")));
  few.repr_names = {{"pre_logits", "preds.cod"}};
  cfg.evals["few"] = few;
  EXPECT_THAT(error_of(cfg), AllOf(HasSubstr("evals.few.repr_names.pre_logits"),
                                   HasSubstr("preds.cod"), HasSubstr("'code'")));
  few.repr_names = {{"pre_logits", "pred.code"}};
  cfg.evals["few"] = few;
  EXPECT_THAT(error_of(cfg), AllOf(HasSubstr("evals.few"), HasSubstr("did you mean 'preds'")));
  few.repr_names = {{"pre_logits", "preds.code"}};
  few.selected_repr = "pre_logit";
  cfg.evals["few"] = few;
  EXPECT_THAT(error_of(cfg),
              AllOf(HasSubstr("evals.few.selected_repr"), HasSubstr("'pre_logits'")));
}

TEST_F(Special, AnEvaluationGoesOnWhereItWasStopped) {
  auto config_in = [&](const char* name) {
    Config<Trainer> cfg = config(name);
    cfg.train_metrics["norms"] =
        metrics::TreeMap{metrics::Norm{.tensor = "preds", .axis = std::nullopt}};
    cfg.train_summaries["codes"] = summaries::HistogramSummary{.tensor = "preds.code"};
    cfg.checkpointer = ckpts::Checkpointer{.save_interval_steps = 1};
    cfg.evals["eval"] =
        evals::CheckpointedEvaluator{.run = evals::Once{2},
                                     .checkpointer = ckpts::Checkpointer{.save_interval_steps = 1},
                                     .ds = clouds(false, /*counts=*/true)};
    return cfg;
  };
  Values whole, stopped;
  reads = 0;
  run(config_in("whole"), &whole);
  ASSERT_TRUE(whole.contains("eval/metrics/norms/code@2"));

  // Looking at the shape of a batch reads, too; the fourth batch of five fails.
  const int all = reads;
  reads = 0;
  fail_at = all - 24;
  EXPECT_THAT(error_of(config_in("stopped")), HasSubstr("the disk is gone"));
  const fs::path evals = folder_ / "stopped/evals/eval";
  EXPECT_TRUE(fs::exists(evals / "step_2/checkpoints/ckpt_3"));
  EXPECT_FALSE(fs::exists(evals / "step_2_done"));
  reads = 0;
  fail_at = -1;
  run(config_in("stopped"), &stopped);
  EXPECT_LT(reads, all);
  EXPECT_FALSE(fs::exists(evals / "step_2"));
  EXPECT_TRUE(fs::exists(evals / "step_2_done"));
  for (auto& [name, value] : whole) {
    if (!name.starts_with("eval/")) continue;
    EXPECT_EQ(stopped.at(name), value) << name;
  }

  // What is done is not done again, and its numbers are not lost.
  fs::remove_all(folder_ / "stopped/checkpoints");
  Values again;
  reads = 0;
  run(config_in("stopped"), &again);
  EXPECT_LE(reads, 13);  // a record and a batch, for their shapes
  EXPECT_EQ(again.at("eval/losses/total@2"), whole.at("eval/losses/total@2"));
  Config<Trainer> cached = config_in("cached");
  cached.evals["eval"].as<evals::CheckpointedEvaluator>().cache = true;
  EXPECT_THAT(error_of(cached), HasSubstr("evals.eval.cache"));
}

TEST_F(Special, ReadoutsAreTrainedAndForgotten) {
  const auto plain = run(config("plain"));
  Config<Trainer> readout;
  readout.train_ds = clouds(true);
  readout.model = nn::ReadoutWrapper{.model = Encoder{.x = "batch.other"},
                                     .readout_heads = {{"classes", nn::Dense{.features = 3}}},
                                     .readout_inputs = {{"classes", {{{"inputs", "preds.code"}}}}}};
  readout.num_train_steps = 60;
  readout.train_losses["xent"] = losses::SoftmaxCrossEntropyWithIntLabels{
      .logits = "preds.readouts.classes", .labels = "batch.label"};
  readout.train_metrics["accuracy"] =
      metrics::Accuracy{.labels = "batch.label", .logits = "preds.readouts.classes"};
  readout.optimizer = optim::Adam{.learning_rate = 0.1};
  readout.evals["test"] = evals::Evaluator{.run = evals::EveryNSteps{50}, .ds = clouds(false)};

  Config<Trainer> cfg = config();
  cfg.evals["readout"] =
      evals::TrainEvaluator{.run = evals::EveryNSteps{4}, .readout_config = konfig::lower(readout)};
  auto result = run(cfg);
  const auto expected = flatten(plain.state.params), got = flatten(result.state.params);
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(at::equal(got[i].second, expected[i].second)) << got[i].first;
  }
  const std::string csv = read_file(folder_ / "run/readout.test/metrics.csv");
  EXPECT_THAT(csv, AllOf(HasSubstr("step,metrics/accuracy\n0,"), HasSubstr("\n4,"),
                         Not(HasSubstr("losses"))));
  EXPECT_GT(std::stod(csv.substr(csv.rfind("4,") + 2)), 0.95);
  const std::string inner = read_file(folder_ / "run/readout.train.4/metrics.csv");
  EXPECT_THAT(inner, HasSubstr("losses/xent"));
  EXPECT_TRUE(fs::exists(folder_ / "run/train_evals.readout/_readout_4/train_complete.txt"));

  cfg.evals["readout"].as<evals::TrainEvaluator>().submodule_to_swap_path = "model.modl";
  EXPECT_THAT(error_of(cfg), AllOf(HasSubstr("evals.readout"), HasSubstr("modl")));
}

// Before its first step a readout gives what the outer model gives, running means included.
TEST_F(Special, ReadoutsStartFromTheWholeOuterModel) {
  const Map<Poly<Metric>> code = {{"code", metrics::Norm{.tensor = "preds.code", .axis = {}}}};
  Config<Trainer> readout;
  readout.train_ds = clouds(true);
  readout.model = nn::ReadoutWrapper{.model = Encoder{.x = "batch.other", .norm = true},
                                     .readout_heads = {{"classes", nn::Dense{.features = 3}}},
                                     .readout_inputs = {{"classes", {{{"inputs", "preds.code"}}}}}};
  readout.num_train_steps = 0;
  readout.optimizer = optim::Adam{.learning_rate = 0.1};
  readout.evals["test"] =
      evals::Evaluator{.run = evals::Once{0}, .ds = clouds(false), .metrics = code};

  Config<Trainer> cfg = config();
  cfg.model = Encoder{.x = "batch.x", .norm = true};
  cfg.evals["outer"] = evals::Evaluator{.run = evals::EveryNSteps{2},
                                        .losses = Map<Poly<Loss>>{},
                                        .metrics = code,
                                        .summaries = Map<Poly<Summary>>{}};
  cfg.evals["readout"] =
      evals::TrainEvaluator{.run = evals::EveryNSteps{2}, .readout_config = konfig::lower(readout)};
  run(cfg);
  const std::string outer = read_file(folder_ / "run/outer/metrics.csv");
  EXPECT_THAT(outer, AllOf(HasSubstr("step,metrics/code\n0,"), HasSubstr("\n4,")));
  EXPECT_EQ(read_file(folder_ / "run/readout.test/metrics.csv"), outer);
}

// What a run exports computes in another program what the run's evaluators computed, to the bit.
TEST_F(Special, AnExportedModelIsTheTrainedOne) {
  for (bool norm : {false, true}) {
    Config<Trainer> cfg = config(norm ? "norm" : "plain");
    cfg.model = Encoder{.x = "batch.x", .norm = norm};
    cfg.exporter = exports::ModelExporter{};
    const auto trainer = konfig::resolve<Trainer>(konfig::lower(cfg));
    const train::TrainState state = train::train(*trainer).state;
    EXPECT_EQ(state.collections.contains("batch_stats"), norm);
    const Model model = load_model(fs::path(*cfg.workdir) / "train_model");
    for (const Tree& batch : data::open(trainer->eval_ds)) {
      train::Context context{.batch = batch};
      const Tree variables = train::variables_of(state.params, state.collections);
      const train::Forward made =
          train::forward(trainer->model, variables, context, {.is_training = false});
      add_forward(context, made);
      const Tree wanted = to_tree(context)["preds"], got = model(batch);
      for (const char* name : {"x", "code"}) {
        EXPECT_TRUE(at::equal(got[name].tensor(), wanted[name].tensor())) << name << norm;
      }
    }
  }
}

TEST_F(Special, WhereModelsAreExported) {
  using exports::ModelExporter;
  EXPECT_EQ(ModelExporter{}.folder("w"), "w/train_model");
  EXPECT_EQ((ModelExporter{.name = "m", .path = "{workdir}/x/{name}.kd"}.folder("w")), "w/x/m.kd");
  EXPECT_EQ((ModelExporter{.path_template = "{workdir}/{name}_{train_or_eval}"}.folder("w")),
            "w/train_model_train");
  using Fields = std::initializer_list<std::pair<std::string_view, konfig::Value>>;
  auto error_of = [](Fields fields) {
    return konfig::error_of([&] {
      konfig::resolve<ModelExporter>(konfig::call("kauldron.kd:export.JaxModelExporter", fields));
    });
  };
  EXPECT_EQ(error_of({{"model_method", "__call__"}, {"platforms", konfig::List{"cpu", "rocm"}}}),
            "");
  EXPECT_THAT(error_of({{"path", "{work}/x"}}), HasSubstr("path: expected {workdir}, {name}"));
  EXPECT_THAT(error_of({{"path_template", "x{name"}}), HasSubstr("got {name"));
  EXPECT_THAT(error_of({{"path_template", "a"}, {"path", "b"}}), HasSubstr("path is set, too"));
  EXPECT_THAT(error_of({{"model_method", "encode"}}), HasSubstr("wrap the model"));
  EXPECT_THAT(error_of({{"platforms", konfig::List{"gpu"}}}), HasSubstr("platforms"));
}

TEST_F(Special, HowLongReadoutsTrain) {
  const konfig::Callable<std::int64_t(std::int64_t, std::int64_t)> linear =
      "kauldron.kd:contrib.evals.linear_stop_after_steps_schedule_fn";
  EXPECT_EQ(linear(0, 100), 1);
  EXPECT_EQ(linear(50'000, 100), 50);
  EXPECT_EQ(linear(10'000'000, 100), 100);
}

}  // namespace
}  // namespace special_test
