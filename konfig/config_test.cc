#include "konfig/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "konfig/expect_test.h"
#include "konfig/json.h"
#include "konfig/toy_test.h"

namespace toy {
namespace {

using ::testing::HasSubstr;

// The introduction's own example: a schedule that follows the length of the run.
Config<Trainer> seed_example() {
  Config<Trainer> cfg;
  cfg.num_train_steps = 10'000;
  auto lr = node(Cosine{.init_value = 0.0, .peak_value = 0.002});
  cfg[lr->decay_steps] = cfg.ref(cfg.num_train_steps);
  cfg.schedules["learning_rate"] = lr;
  cfg.optimizer = Adam{.learning_rate = lr};
  return cfg;
}

TEST(Config, SeedExample) {
  ConfigDict cfg = lower(seed_example());
  EXPECT_EQ(to_json(cfg),
            R"({"__qualname__": "toy:Trainer", "num_train_steps": 10000, "schedules": )"
            R"({"learning_rate": {"__qualname__": "toy:cosine", "peak_value": 0.002, )"
            R"("decay_steps": 10000, "__id__": 0}}, "optimizer": {"__qualname__": "toy:adam", )"
            R"("learning_rate": {"__qualname__": "toy:cosine", "peak_value": 0.002, )"
            R"("decay_steps": 10000, "__id__": 0}}})");

  cfg["num_train_steps"] = 77;
  auto trainer = resolve<Trainer>(cfg);
  auto& schedule = std::get<Poly<ScheduleFn>>(trainer->schedules.at("learning_rate"));
  auto& used = std::get<Poly<ScheduleFn>>(trainer->optimizer.as<Adam>().learning_rate);
  EXPECT_EQ(schedule.as<Cosine>().decay_steps, 77);
  EXPECT_EQ(&schedule.as<Cosine>(), &used.as<Cosine>());
}

TEST(Config, ReferenceToANode) {
  Config<Trainer> cfg;
  cfg.num_train_steps = 500;
  cfg.schedules["learning_rate"] = Cosine{.peak_value = 0.002};
  cfg[std::get<Poly<ScheduleFn>>(cfg.schedules["learning_rate"]).as<Cosine>().decay_steps] =
      cfg.ref(cfg.num_train_steps);
  cfg.optimizer = Adam{};
  cfg[cfg.optimizer.as<Adam>().learning_rate] = cfg.ref(cfg.schedules["learning_rate"]);
  ConfigDict data = lower(cfg);
  data["num_train_steps"] = 3;
  auto trainer = resolve<Trainer>(data);
  auto& used = std::get<Poly<ScheduleFn>>(trainer->optimizer.as<Adam>().learning_rate);
  EXPECT_EQ(used.as<Cosine>().decay_steps, 3);
  EXPECT_TRUE(used.same(std::get<Poly<ScheduleFn>>(trainer->schedules.at("learning_rate"))));
}

TEST(Config, WritesWhatDiffersFromTheDefault) {
  Config<Trainer> cfg;
  EXPECT_EQ(to_json(lower(cfg)), R"({"__qualname__": "toy:Trainer"})");
  cfg.seed = 0;
  cfg.train_ds = Tfds{.name = "mnist"};
  EXPECT_EQ(to_json(lower(cfg)), R"({"__qualname__": "toy:Trainer", "train_ds": )"
                                 R"({"__qualname__": "toy:Tfds", "name": "mnist"}})");
}

TEST(Config, KeepWritesADefault) {
  Config<Trainer> cfg;
  keep(cfg.seed) = 0;
  cfg.train_ds = Tfds{.name = "mnist"};
  keep(cfg.train_ds.as<Tfds>().shuffle);
  auto lr = node(Cosine{});
  keep(lr->peak_value);
  cfg.schedules["lr"] = lr;
  EXPECT_EQ(
      to_json(lower(cfg)),
      R"({"__qualname__": "toy:Trainer", "seed": 0, "train_ds": {"__qualname__": "toy:Tfds", )"
      R"("name": "mnist", "shuffle": false}, "schedules": {"lr": )"
      R"({"__qualname__": "toy:cosine", "peak_value": 0.001}}})");
  int elsewhere = 0;
  EXPECT_THAT(error_of([&] { keep(elsewhere); }), HasSubstr("is no field of the config"));
}

TEST(Config, Arithmetic) {
  Config<Trainer> cfg;
  cfg.num_train_steps = 7;
  auto steps = cfg.ref(cfg.num_train_steps);
  static_assert(std::is_same_v<decltype(steps / 2), Ref<int>>);
  static_assert(std::is_same_v<decltype(steps / 2.0), Ref<double>>);
  static_assert(std::is_same_v<decltype(1.5 * steps), Ref<double>>);
  static_assert(std::is_same_v<decltype(steps + std::int64_t{1}), Ref<std::int64_t>>);
  static_assert(std::is_same_v<decltype(steps > 3), Ref<bool>>);
  cfg.train_ds = Tfds{.name = "x"};
  auto& ds = cfg.train_ds.as<Tfds>();
  cfg[cfg.seed] = (steps + 1) * 2 - steps % 4;
  cfg[cfg.width] = steps / 2;
  cfg[ds.shuffle] = steps >= 7;
  cfg[ds.batch_size] = -steps;
  cfg[ds.split] = cfg.ref(cfg.workdir) + "/train";
  cfg.workdir = "w";
  auto data = lower(cfg);
  EXPECT_EQ(data["seed"].get(), Value(13));
  EXPECT_EQ(data["width"].get(), Value(3));
  EXPECT_EQ(data["train_ds"]["shuffle"].get(), Value(true));
  EXPECT_EQ(data["train_ds"]["batch_size"].get(), Value(-7));
  EXPECT_EQ(data["train_ds"]["split"].get(), Value("w/train"));
  data["num_train_steps"] = 3;
  EXPECT_EQ(data["width"].get(), Value(1));
  EXPECT_EQ(data["train_ds"]["shuffle"].get(), Value(false));
}

TEST(Config, MapIsAnOpaqueFunction) {
  Config<Trainer> cfg;
  cfg.seed = 4;
  cfg[cfg.workdir] = cfg.ref(cfg.seed).map([](int s) { return "run" + std::to_string(s); });
  auto data = lower(cfg);
  EXPECT_EQ(data["workdir"].get(), Value("run4"));
  data["seed"] = 5;
  EXPECT_EQ(resolve<Trainer>(data)->workdir, "run5");
  EXPECT_EQ(data.copy()["workdir"].get(), Value("run5"));
}

TEST(Config, ListElements) {
  Config<Trainer> cfg;
  cfg.seed = 3;
  cfg.sizes = {1, 2, 3};
  cfg[cfg.sizes[1]] = cfg.ref(cfg.seed) * 10;
  cfg[cfg.width] = cfg.ref(cfg.sizes[2]);
  auto trainer = resolve<Trainer>(lower(cfg));
  EXPECT_EQ(trainer->sizes, (std::vector{1, 30, 3}));
  EXPECT_EQ(trainer->width, 3);
}

TEST(Config, OpenDictionary) {
  Config<Trainer> cfg;
  cfg.aux["dim"] = 64;
  cfg.aux["deep"] = ConfigDict{{"x", 2}};
  cfg[cfg.width] = cfg.ref<int>(cfg.aux["dim"]) * 2;
  cfg[cfg.seed] = cfg.ref<int>(cfg.aux["deep"]["x"]);
  cfg[cfg.aux["copy"]] = cfg.ref(cfg.width) + 1;
  auto data = lower(cfg);
  EXPECT_EQ(data["width"].get(), Value(128));
  EXPECT_EQ(data["seed"].get(), Value(2));
  EXPECT_EQ(data["aux"]["copy"].get(), Value(129));
  data["aux"]["dim"] = 8;
  data["aux"]["fresh"] = "from the command line";
  auto trainer = resolve<Trainer>(data);
  EXPECT_EQ(trainer->width, 16);
  EXPECT_EQ(trainer->aux["fresh"].get(), Value("from the command line"));
  // The typed config, its lowered form and the object are independent.
  EXPECT_EQ(cfg.aux["dim"].get(), Value(64));
  data["aux"]["dim"] = 9;
  EXPECT_EQ(trainer->aux["dim"].get(), Value(8));
}

TEST(Config, CopiesAreIndependentAndKeepSharing) {
  auto cfg = seed_example();
  cfg.aux["n"] = 1;
  auto copy = cfg;
  copy.aux["n"] = 2;
  copy.num_train_steps = 5;
  std::get<Poly<ScheduleFn>>(copy.schedules["learning_rate"]).as<Cosine>().peak_value = 9;
  EXPECT_EQ(cfg.aux["n"].get(), Value(1));
  auto original = resolve<Trainer>(lower(cfg));
  auto changed = resolve<Trainer>(lower(copy));
  auto lr = [](auto& t) -> auto& {
    return std::get<Poly<ScheduleFn>>(t->optimizer.template as<Adam>().learning_rate);
  };
  EXPECT_EQ(lr(original).template as<Cosine>().peak_value, 0.002);
  EXPECT_EQ(lr(original).template as<Cosine>().decay_steps, 10'000);
  EXPECT_EQ(lr(changed).template as<Cosine>().peak_value, 9);
  EXPECT_EQ(lr(changed).template as<Cosine>().decay_steps, 5);
  EXPECT_TRUE(lr(changed).same(std::get<Poly<ScheduleFn>>(changed->schedules.at("learning_rate"))));
}

TEST(Config, MovesAndAssignments) {
  auto cfg = seed_example();
  Config<Trainer> other;
  other = std::move(cfg);
  other[other.seed] = other.ref(other.num_train_steps);
  EXPECT_EQ(lower(other)["seed"].get(), Value(10'000));
  Config<Trainer> third;
  third = other;
  third.num_train_steps = 2;
  EXPECT_EQ(lower(third)["seed"].get(), Value(2));
  EXPECT_EQ(lower(other)["seed"].get(), Value(10'000));
}

TEST(Config, ConfigWrittenApartBecomesANode) {
  Config<Tfds> ds;
  ds.name = "mnist";
  ds[ds.split] = ds.ref(ds.name);
  Config<Trainer> cfg;
  cfg.train_ds = ds;
  cfg.evals["eval"] = Evaluator{.ds = cfg.train_ds};
  cfg.evals["eval"].ds.own().as<Tfds>().name = "cifar";
  auto data = lower(cfg);
  EXPECT_EQ(data["train_ds"]["split"].get(), Value("mnist"));
  EXPECT_EQ(data["evals"]["eval"]["ds"]["split"].get(), Value("cifar"));
}

TEST(Config, ReferenceToANodeBeforeItIsPlaced) {
  Config<Trainer> cfg;
  auto lr = node(Cosine{.decay_steps = 6});
  cfg[cfg.seed] = cfg.ref(lr->decay_steps);
  EXPECT_THAT(error_of([&] { lower(cfg); }), HasSubstr("no part of it"));
  cfg.schedules["lr"] = lr;
  auto data = lower(Config<Trainer>(cfg));
  data["schedules"]["lr"]["decay_steps"] = 8;
  EXPECT_EQ(data["seed"].get(), Value(8));
}

TEST(Config, RegisteredDefaultsComeFirst) {
  register_default_values(call("toy:Trainer", {{"workdir", "/tmp"}, {"evals", ConfigDict()}}));
  Config<Trainer> cfg;
  cfg.seed = 1;
  cfg.evals["e"] = Evaluator{.seed = 3};
  EXPECT_EQ(to_json(lower(cfg)),
            R"({"__qualname__": "toy:Trainer", "workdir": "/tmp", "evals": {"e": )"
            R"({"__qualname__": "toy:Evaluator", "seed": 3}}, "seed": 1})");
  clear_default_values("toy:Trainer");
}

TEST(Config, RegisteredDefaultsKeepTheSharingGraph) {
  register_default_values(call("toy:Trainer", {{"schedules", ConfigDict()}}));
  auto data = lower(seed_example());
  clear_default_values("toy:Trainer");
  auto trainer = resolve<Trainer>(data);
  EXPECT_TRUE(std::get<Poly<ScheduleFn>>(trainer->schedules.at("learning_rate"))
                  .same(std::get<Poly<ScheduleFn>>(trainer->optimizer.as<Adam>().learning_rate)));
}

TEST(Config, LoweringANodeAlone) {
  EXPECT_EQ(to_json(lower(Adam{.b1 = 0.5})), R"({"__qualname__": "toy:adam", "b1": 0.5})");
  Config<Trainer> cfg;
  auto lr = node(Cosine{});
  cfg[lr->decay_steps] = cfg.ref(cfg.seed);
  EXPECT_THAT(error_of([&] { lower(Adam{.learning_rate = lr}); }), HasSubstr("has references"));
}

TEST(Config, ANodeThatContainsItselfIsAnError) {
  Config<Trainer> cfg;
  auto chain = node(Chain{});
  chain->transforms.push_back(chain);
  cfg.optimizer = chain;
  EXPECT_THAT(error_of([&] { lower(cfg); }), HasSubstr("contains itself"));
  chain->transforms.clear();
}

TEST(Config, ErrorsNamePathTypeAndField) {
  auto data = lower(seed_example());
  data["optimizer"] = call("toy:adam", {{"learning_rate", "fast"}});
  EXPECT_THAT(error_of([&] { resolve<Trainer>(data); }),
              HasSubstr("cfg.optimizer.learning_rate: expected a number or a schedule, got "
                        "\"fast\""));
  data["optimizer"] = call("toy:adam", {{"learning_rat", 1.0}});
  EXPECT_THAT(error_of([&] { resolve<Trainer>(data); }),
              HasSubstr("cfg.optimizer.learning_rat: toy::Adam has no such field; did you mean "
                        "'learning_rate'?"));
  data["optimizer"] = call("toy:losses.L2", {});
  EXPECT_THAT(error_of([&] { resolve<Trainer>(data); }),
              HasSubstr("cfg.optimizer: expected a toy::Optimizer, got a toy::L2"));
}

}  // namespace
}  // namespace toy
