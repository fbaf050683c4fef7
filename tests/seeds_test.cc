// The code of the introduction, in C++: docs/seeds.md says which test is which block.
#include <gtest/gtest.h>

#include "kd/kd.h"

// Block "Keys and Context": a model of one's own that names its input.
namespace my_project {
struct AutoEncoder {
  kd::Key input = kd::Key::required();
};
}  // namespace my_project
KONFIG_LOCAL_COMPONENT(kd::Module, my_project::AutoEncoder);

namespace {

using namespace kd;
using konfig::call;
using konfig::ConfigDict;
using konfig::Dict;
using konfig::lower;
using konfig::resolve;
using konfig::Value;

TEST(Seeds, ConfigSystem) {
  ConfigDict cfg = lower(Config<optim::Adam>({.learning_rate = 0.003}));
  EXPECT_TRUE(cfg == (ConfigDict{{"__qualname__", "optax:adam"}, {"learning_rate", 0.003}}));

  cfg["learning_rate"] = 1e-4;  // a config can be changed

  auto optimizer = resolve<optim::Adam>(cfg);
  EXPECT_EQ(std::get<double>(*optimizer->learning_rate), 1e-4);
}

TEST(Seeds, ConfigReferences) {
  Config<train::Trainer> cfg;
  cfg.num_train_steps = 10'000;
  auto learning_rate = node(optim::WarmupCosineDecay{.init_value = 0.0, .peak_value = 0.001});
  cfg[learning_rate->decay_steps] = cfg.ref(cfg.num_train_steps);
  cfg.schedules["learning_rate"] = learning_rate;
  cfg.optimizer = optim::Adam{.learning_rate = learning_rate};

  ConfigDict config = lower(cfg);
  EXPECT_EQ(config["schedules"]["learning_rate"]["decay_steps"].as<std::int64_t>(), 10'000);
  config["num_train_steps"] = 500;  // what --cfg.num_train_steps=500 does
  EXPECT_EQ(config["schedules"]["learning_rate"]["decay_steps"].as<std::int64_t>(), 500);

  auto trainer = resolve<train::Trainer>(config);
  auto& schedule = trainer->schedules.at("learning_rate");
  EXPECT_EQ(schedule.as<optim::WarmupCosineDecay>().decay_steps, 500);
  EXPECT_TRUE(std::get<Poly<ScheduleFn>>(*trainer->optimizer.as<optim::Adam>().learning_rate)
                  .same(schedule));
}

TEST(Seeds, AuxHoldsValuesToReferTo) {
  Config<train::Trainer> cfg;
  cfg.aux["dim"] = 64;
  cfg.model = nn::Dense{.features = 1};
  cfg[cfg.model.as<nn::Dense>().features] = cfg.ref<int>(cfg.aux["dim"]) * 2;

  ConfigDict config = lower(cfg);
  config["aux"]["dim"] = 32;
  EXPECT_EQ(config["model"]["features"].as<std::int64_t>(), 64);
}

TEST(Seeds, KeysConnectParts) {
  Config<train::Trainer> cfg;
  cfg.model = my_project::AutoEncoder{.input = "batch.image"};
  cfg.train_losses["recon"] = losses::L2{.preds = "preds.image", .targets = "batch.image"};

  auto trainer = resolve<train::Trainer>(lower(cfg));
  EXPECT_EQ(trainer->model.as<my_project::AutoEncoder>().input, Key("batch.image"));
  EXPECT_EQ(trainer->train_losses.at("recon").as<losses::L2>().preds, Key("preds.image"));
}

// Evaluators in jobs of their own; those of one group share the job.
TEST(Seeds, StandaloneEvaluators) {
  Config<train::Trainer> cfg;
  cfg.evals["a"] = evals::Evaluator{.run = evals::StandaloneEveryCheckpoint{.job_group = "group"}};
  cfg.evals["b"] = evals::Evaluator{.run = evals::StandaloneLastCheckpoint{.job_group = "group"}};
  cfg.evals["c"] = evals::Evaluator{.run = evals::Once{5}};
  auto trainer = resolve<train::Trainer>(lower(cfg));
  auto run = [&](const char* name) { return trainer->evals.at(name).as<evals::Evaluator>().run; };
  EXPECT_EQ(run("a").as<evals::StandaloneEveryCheckpoint>().job_group, "group");
  EXPECT_EQ(run("b").as<evals::StandaloneLastCheckpoint>().job_group, "group");
  EXPECT_EQ(*run("c").as<evals::Once>().step, 5);

  // All parameters of a job are kept as they are, for the launcher.
  ConfigDict config = lower(cfg);
  ConfigDict job = config["evals"]["a"]["run"].as<ConfigDict>();
  job["platform"] = "a100=1";
  job["priority"] = 115;
  job["args"] = Dict{{"x", 1}};
  job["requirements"]["ram"] = 5;
  job["debug"] = call("kauldron.kxm:Debug", {{"pytype", true}});
  const auto resolved = resolve<train::Trainer>(config)->evals.at("a").as<evals::Evaluator>().run;
  const auto& kept = resolved.as<evals::StandaloneEveryCheckpoint>();
  EXPECT_EQ(kept.platform, "a100=1");
  EXPECT_EQ(kept.priority, 115);
  EXPECT_EQ(kept.requirements["ram"], Value(5));
  EXPECT_EQ(kept.debug->pytype, true);
  job["platfrom"] = 1;
  EXPECT_THROW(resolve<train::Trainer>(config), konfig::Error);
}

// One seed for all, or one of its own for a part.
TEST(Seeds, SeedsOfParts) {
  Config<train::Trainer> cfg;
  cfg.seed = 42;
  cfg.train_ds = data::py::Tfds{.name = "mnist", .split = "train", .shuffle = true};
  EXPECT_EQ(*resolve<train::Trainer>(lower(cfg))->train_ds.as<data::py::Tfds>().seed, 42);
  ConfigDict config = lower(cfg);
  config["train_ds"]["seed"] = 7;
  auto trainer = resolve<train::Trainer>(config);
  EXPECT_EQ(*trainer->train_ds.as<data::py::Tfds>().seed, 7);
  EXPECT_EQ(trainer->seed, 42);
}

TEST(Seeds, ConfigVersusTrainer) {
  Config<train::Trainer> cfg;
  cfg.workdir = "/tmp/";

  std::shared_ptr<const train::Trainer> trainer = resolve<train::Trainer>(lower(cfg));
  EXPECT_EQ(trainer->workdir, "/tmp/");
  static_assert(std::is_const_v<decltype(trainer)::element_type>, "a trainer is never changed");
}

}  // namespace
