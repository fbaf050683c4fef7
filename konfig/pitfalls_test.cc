// Ways in which typed configs could go wrong silently, each with the result a user expects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "konfig/json.h"
#include "konfig/toy_test.h"

namespace toy {
namespace {

TEST(Pitfalls, AssignmentAfterABindingWins) {
  Config<Trainer> cfg;
  cfg.num_train_steps = 1000;
  cfg[cfg.seed] = cfg.ref(cfg.num_train_steps);
  EXPECT_EQ(resolve<Trainer>(lower(cfg))->seed, 1000);
  cfg.seed = 5;
  EXPECT_EQ(resolve<Trainer>(lower(cfg))->seed, 5);
  cfg[cfg.seed] = cfg.ref(cfg.num_train_steps) + 1;
  EXPECT_EQ(resolve<Trainer>(lower(cfg))->seed, 1001);
}

TEST(Pitfalls, BindingsMoveWithTheirNode) {
  Config<Trainer> cfg;
  cfg.train_ds = Tfds{.name = "m", .transforms = {ValueRange{.key = "image"}}};
  auto& transforms = cfg.train_ds.as<Tfds>().transforms;
  cfg.seed = 7;
  cfg[transforms[0].as<ValueRange>().hi] = cfg.ref(cfg.seed);

  transforms.insert(transforms.begin(), Elements{.keep = {"image"}});
  auto trainer = resolve<Trainer>(lower(cfg));
  EXPECT_EQ(trainer->train_ds.as<Tfds>().transforms[1].as<ValueRange>().hi, 7);

  transforms.erase(transforms.begin());
  transforms.insert(transforms.begin(), ValueRange{.key = "other"});
  trainer = resolve<Trainer>(lower(cfg));
  auto& resolved = trainer->train_ds.as<Tfds>().transforms;
  EXPECT_EQ(resolved[0].as<ValueRange>().hi, 1);
  EXPECT_EQ(resolved[1].as<ValueRange>().hi, 7);
}

TEST(Pitfalls, CopiesOfASubtreeKeepTheirBindings) {
  Config<Trainer> cfg;
  cfg.seed = 9;
  cfg.evals["a"] = Evaluator{.ds = Tfds{.name = "m"}};
  cfg[cfg.evals["a"].ds.own().as<Tfds>().batch_size] = cfg.ref(cfg.seed);
  cfg.evals["b"] = cfg.evals["a"];
  auto trainer = resolve<Trainer>(lower(cfg));
  EXPECT_EQ(trainer->evals.at("a").ds->as<Tfds>().batch_size, 9);
  EXPECT_EQ(trainer->evals.at("b").ds->as<Tfds>().batch_size, 9);
}

TEST(Pitfalls, AReplacedNodeDropsItsBindings) {
  Config<Trainer> cfg;
  cfg.optimizer = Adam{};
  cfg[cfg.optimizer.as<Adam>().b1] = cfg.ref(cfg.optimizer.as<Adam>().b2);
  cfg.optimizer = Sgd{};
  EXPECT_EQ(to_json(lower(cfg)),
            R"({"__qualname__": "toy:Trainer", "optimizer": {"__qualname__": "toy:sgd"}})");
  EXPECT_TRUE(resolve<Trainer>(lower(cfg))->optimizer.holds<Sgd>());
}

TEST(Pitfalls, AnExplicitDefaultNeedsKeep) {
  Config<Trainer> cfg;
  cfg.train_ds = Tfds{.name = "m", .shuffle = false, .num_epochs = std::nullopt, .batch_size = 1};
  auto& ds = cfg.train_ds.as<Tfds>();
  EXPECT_EQ(to_json(lower(cfg)["train_ds"].get()), R"({"__qualname__": "toy:Tfds", "name": "m"})");
  keep(ds.shuffle);
  keep(ds.num_epochs);
  keep(ds.batch_size);
  EXPECT_EQ(to_json(lower(cfg)["train_ds"].get()),
            R"({"__qualname__": "toy:Tfds", "name": "m", "shuffle": false, "num_epochs": null, )"
            R"("batch_size": 1})");
}

TEST(Pitfalls, OneNodeIsOneObjectAndCopiesAreIndependent) {
  Config<Trainer> cfg;
  auto ds = node(Tfds{.name = "m"});
  cfg.train_ds = ds;
  cfg.evals["a"] = Evaluator{.ds = ds};
  auto copy = cfg;
  copy.train_ds.as<Tfds>().batch_size = 77;
  EXPECT_EQ(cfg.train_ds.as<Tfds>().batch_size, 1);
  EXPECT_EQ(copy.evals["a"].ds->as<Tfds>().batch_size, 77);
  ds->batch_size = 3;
  EXPECT_EQ(cfg.evals["a"].ds->as<Tfds>().batch_size, 3);
  auto trainer = resolve<Trainer>(lower(cfg));
  EXPECT_EQ(&trainer->train_ds.as<Tfds>(), &trainer->evals.at("a").ds->as<Tfds>());
  EXPECT_EQ(trainer->train_ds.as<Tfds>().batch_size, 3);
}

TEST(Pitfalls, AReferenceOfAnotherConfigIsAnError) {
  Config<Trainer> cfg;
  auto ref = cfg.ref(cfg.num_train_steps);
  Config<Trainer> copy = cfg;
  copy.num_train_steps = 3;
  EXPECT_THROW(copy[copy.seed] = ref, Error);
  EXPECT_THROW(copy[copy.seed] = ref * 2 + 1, Error);
  EXPECT_THROW(copy[copy.seed] = ref.map([](int n) { return n; }), Error);
  copy[copy.seed] = copy.ref(copy.num_train_steps);
  EXPECT_EQ(lower(copy)["seed"].get(), Value(3));
}

TEST(Pitfalls, ANodeThatFollowsAnotherConfigIsAnError) {
  Config<Trainer> cfg;
  cfg.seed = 1;
  cfg.train_ds = Tfds{.name = "m"};
  cfg[cfg.train_ds.as<Tfds>().batch_size] = cfg.ref(cfg.seed);
  Config<Trainer> other;
  other.train_ds = cfg.train_ds;
  EXPECT_THROW(lower(other), Error);
}

TEST(Pitfalls, AnEmptyValueIsNotAnUnsetOne) {
  Config<Trainer> cfg;
  cfg.train_losses["a"] = L2{.preds = "p"};
  cfg.evals["inherits"] = Evaluator{};
  cfg.evals["none"] = Evaluator{.losses = {}};
  auto trainer = resolve<Trainer>(lower(cfg));
  EXPECT_EQ(trainer->evals.at("inherits").losses->size(), 1u);
  EXPECT_EQ(trainer->evals.at("none").losses->size(), 0u);
}

}  // namespace
}  // namespace toy
