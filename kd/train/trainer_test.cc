// The example config against the reference's own, and what it resolves to.
#include "kd/train/trainer.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "kd/evals/evaluators.h"
#include "kd/nn/components.h"
#include "kd/optim/components.h"
#include "konfig/config_registry.h"
#include "konfig/konfig.h"
#include "konfig/root.h"
#include "test_paths.h"

namespace kd::train {
namespace {

using namespace konfig;

ConfigDict example() { return find_config("mnist_autoencoder")->make(Dict{{"dataset", "mnist"}}); }

// The JSON text of a reference example.
std::string reference(const std::string& file) {
  for (auto& c : parse_json(base::read_file(KD_GOLDEN_DEFAULT "/konfig/cases.json")).as<List>()) {
    auto& args = c.as<Dict>().at("args").as<Dict>();
    auto* name = args.find("file");
    if (name && *name == Value(file))
      return c.as<Dict>().at("outputs").as<Dict>().at("json").as<std::string>();
  }
  ADD_FAILURE() << "no example " << file;
  return "";
}

TEST(Trainer, ExampleIsTheReferences) {
  auto expected = config_from_json(reference("mnist_autoencoder.py"));
  // C++ names every field: EveryNSteps(100) is EveryNSteps(n=100).
  expected["evals"]["eval"]["run"] = call("kauldron.kd:evals.EveryNSteps", {{"n", 100}});
  // What equals its default is not written.
  for (auto* name : {"gt", "recon"}) {
    expected["train_summaries"][name].as<ConfigDict>().erase("num_images");
  }
  expected["train_ds"].as<ConfigDict>().erase("num_epochs");
  expected["evals"]["eval"].as<ConfigDict>().erase("num_batches");
  // Through JSON, where tuples are lists; the ranges are floats here (0.0 == 0).
  auto ours = config_from_json(to_json(example()));
  EXPECT_TRUE(ours == expected) << ours << "\n" << expected;
  for (auto& key : expected.keys()) EXPECT_TRUE(ours.contains(key));
}

TEST(Trainer, LoadsTheReferencesJson) {
  auto trainer = resolve<Trainer>(config_from_json(reference("mnist_autoencoder.py")));
  EXPECT_EQ(trainer->seed, 42);
  EXPECT_EQ(trainer->num_train_steps, 1000);
  EXPECT_EQ(std::get<double>(*trainer->optimizer.as<optim::Adam>().learning_rate), 0.003);
  EXPECT_EQ(trainer->evals.at("eval").as<evals::Evaluator>().run.as<evals::EveryNSteps>().n, 100);
  EXPECT_EQ(trainer->model.as<nn::FlatAutoencoder>().encoder.as<nn::Dense>().features, 128);
}

// Whatever a run can do without may be None.
TEST(Trainer, NoneIsNothing) {
  auto cfg = example();
  const auto guard = cfg.ignore_type();
  for (auto* field : {"evals", "checkpointer", "init_transform", "profiler", "writer"}) {
    cfg.set(field, Value());
  }
  const auto trainer = resolve<Trainer>(cfg);
  EXPECT_TRUE(trainer->evals.empty());
  EXPECT_FALSE(trainer->checkpointer || trainer->init_transform || trainer->profiler ||
               trainer->writer);
}

TEST(Trainer, OverridesReachTheObjects) {
  auto cfg = example();
  cfg["num_train_steps"] = 7;
  cfg["optimizer"]["learning_rate"] = 1;
  auto trainer = resolve<Trainer>(cfg);
  EXPECT_EQ(trainer->num_train_steps, 7);
  EXPECT_EQ(std::get<double>(*trainer->optimizer.as<optim::Adam>().learning_rate), 1.0);
}

TEST(Trainer, EvaluatorsTakeTheTrainersLossesUnlessEmpty) {
  auto trainer = resolve<Trainer>(example());
  auto& eval = trainer->evals.at("eval").as<evals::Evaluator>();
  ASSERT_EQ(eval.losses->size(), 1u);
  EXPECT_TRUE(eval.losses->at("recon").same(trainer->train_losses.at("recon")));
  EXPECT_TRUE(eval.metrics->empty());
  EXPECT_EQ(*eval.ds->as<data::py::Tfds>().seed, 42);
  EXPECT_FALSE(eval.num_batches);  // None: all of them
  ASSERT_EQ(eval.summaries->size(), 2u);
  EXPECT_TRUE(eval.summaries->at("gt").same(trainer->train_summaries.at("gt")));
  // Metrics that are not given are the trainer's, those that are given its own.
  auto cfg = example();
  cfg["evals"]["eval"].as<ConfigDict>().erase("metrics");
  cfg["evals"]["eval"]["summaries"] = ConfigDict();
  trainer = resolve<Trainer>(cfg);
  auto& other = trainer->evals.at("eval").as<evals::Evaluator>();
  ASSERT_EQ(other.metrics->size(), 1u);
  EXPECT_TRUE(other.metrics->at("latent_norm").same(trainer->train_metrics.at("latent_norm")));
  EXPECT_TRUE(other.summaries->empty());
}

// What the reference's Trainer.replace does.
TEST(Trainer, AChangedRootReachesWhatItFilled) {
  auto cfg = example();
  cfg["train_ds"]["seed"] = 60;
  cfg["eval_ds"] = cfg["evals"]["eval"]["ds"].get();
  cfg["evals"]["eval"].as<ConfigDict>().erase("ds");
  Trainer trainer = *resolve<Trainer>(cfg);
  trainer.seed = 7;
  trainer.writer = NoopWriter{};
  trainer = konfig::with_root_values(trainer);
  EXPECT_EQ(*trainer.train_ds.as<data::py::Tfds>().seed, 60);
  EXPECT_EQ(*trainer.eval_ds.as<data::py::Tfds>().seed, 7);
  auto& eval = trainer.evals.at("eval").as<evals::Evaluator>();
  EXPECT_EQ(*eval.ds->as<data::py::Tfds>().seed, 7);
  EXPECT_TRUE(eval.writer->holds<NoopWriter>());
  EXPECT_EQ(*trainer.rng_streams.seed, 7);
}

TEST(Trainer, LabelsAreAListOrOneText) {
  auto cfg = example();
  cfg["setup"]["tags"] = "a,b";
  cfg["setup"]["tqdm_info"] = call("kauldron.kd:train.TqdmInfo", {{"desc", "fit"}});
  auto trainer = resolve<Trainer>(cfg);
  EXPECT_EQ(trainer->setup.tags.list(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(trainer->setup.tqdm_info.desc, "fit");
  auto listed = example();
  listed["setup"]["tags"] = List{"c"};
  EXPECT_EQ(resolve<Trainer>(listed)->setup.tags.list(), std::vector<std::string>{"c"});
}

TEST(Trainer, AWrongValueIsReportedWithItsPlace) {
  auto cfg = example();
  auto guard = cfg.ignore_type();
  cfg["optimizer"]["learning_rate"] = "fast";
  try {
    resolve<Trainer>(cfg);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()).substr(0, std::string(e.what()).find('\n')),
              "cfg.optimizer.learning_rate: expected a number or a schedule, got \"fast\"");
  }
}

TEST(Trainer, TheLaunchersJobStaysAConfig) {
  auto trainer = resolve<Trainer>(example());
  EXPECT_EQ(trainer->xm_job.qualname(), "kauldron.kxm:Job");
  auto cfg = example();
  cfg["evals"]["eval"]["run"] = call("kauldron.kd:evals.StandaloneEveryCheckpoint",
                                     {{"platform", "a100"},
                                      {"args", Dict{{"x", 1}}},
                                      {"debug", call("kauldron.kxm:Debug", {{"pytype", true}})}});
  trainer = resolve<Trainer>(cfg);
  auto& run =
      trainer->evals.at("eval").as<evals::Evaluator>().run.as<evals::StandaloneEveryCheckpoint>();
  EXPECT_EQ(run.platform, "a100");
  EXPECT_EQ(run.debug->pytype, true);
  EXPECT_EQ(run.args["x"].get(), Value(1));
}

TEST(Trainer, ShardingIsKept) {
  auto cfg = example();
  cfg["sharding"] = call("kauldron.kd:sharding.ShardingStrategy",
                         {{"params", call("kauldron.kd:sharding.FSDPSharding")},
                          {"batch", ConfigDict{{"__const__", "kauldron.kd:sharding.FIRST_DIM"}}}});
  auto trainer = resolve<Trainer>(cfg);
  EXPECT_EQ(trainer->sharding.params.as<Object>().type->name, "kd::sharding::FSDPSharding");
  auto& batch = trainer->sharding.batch.as<Object>();
  EXPECT_EQ(static_cast<const sharding::Sharding*>(batch.ptr.get())->name,
            sharding::Placement::FIRST_DIM);
}

TEST(Trainer, ContributedPartsHaveBothNames) {
  for (const char* name :
       {"train.MultiTrainStep", "train.NoopTrainStep", "train.multi_optimizer", "train.NpzWriter",
        "train.GifVideoWriter", "train.MLFlowMetricWriter", "evals.TrainEvaluator",
        "evals.CheckpointedEvaluator", "summaries.ImageGrid", "checkpoints.ExpStep",
        "checkpoints.LatestN", "checkpoints.keep_best_n", "checkpoints.PartialCLULoader"}) {
    EXPECT_TRUE(find_symbol(std::string("kauldron.kd:contrib.") + name)) << name;
    EXPECT_TRUE(find_symbol(std::string("kauldron.contrib.") + name)) << name;
  }
}

}  // namespace
}  // namespace kd::train
