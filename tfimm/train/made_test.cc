#include "tfimm/train/made.h"

#include <gtest/gtest.h>

#include "konfig/expect_test.h"
#include "tfimm/train/registry.h"

namespace made_test {

// An interface, what implements it, and what takes it.
struct Task {
  virtual ~Task() = default;
  virtual int steps() const = 0;
};
struct FitConfig {
  int sides = 4;
};
struct Fit : Task {
  using cfg_class = FitConfig;
  explicit Fit(const FitConfig& cfg, int factor = 1) : sides(cfg.sides), factor(factor) {}
  int steps() const override { return sides * factor; }
  int sides, factor;
};
struct LoopConfig {
  int rounds = 2;
};
struct Loop {
  using cfg_class = LoopConfig;
  Loop(const LoopConfig& cfg, Task& task, const std::string& name)
      : steps(cfg.rounds * task.steps()), name(name) {}
  int steps;
  std::string name;
};
// Takes the object itself, whatever it is.
struct Keeper {
  using cfg_class = LoopConfig;
  Keeper(const LoopConfig&, tfimm::train::Made task) : task(std::move(task)) {}
  tfimm::train::Made task;
};
struct Nothing {
  using cfg_class = LoopConfig;
};
struct Owner {
  using cfg_class = LoopConfig;
  Owner(const LoopConfig&, std::shared_ptr<int> log, int) : log(std::move(log)) {}
  std::shared_ptr<int> log;
};

}  // namespace made_test

CFG_SERIALIZABLE(made_test::Fit);
CFG_SERIALIZABLE(made_test::Loop);
CFG_SERIALIZABLE(made_test::Keeper);
CFG_SERIALIZABLE(made_test::Nothing);
CFG_SERIALIZABLE(made_test::Owner);

namespace tfimm::train {
namespace {

using konfig::ErrorKind;
using konfig::expect_error;
using namespace made_test;

TEST(Made, AConstructorTakesMoreThanItsConfig) {
  const Any cfg = FitConfig{.sides = 3};
  int factor = 5;
  EXPECT_EQ(get_class("Fit")(cfg).as<Fit>().steps(), 3);
  Made task = get_class("Fit")(cfg, factor);
  EXPECT_EQ(task.as<Task>().steps(), 15);  // as its base

  task.as<Fit>();
  task.as<Task>();
  const LoopConfig loop_cfg;
  std::string name = "a";
  Made loop = get_class("Loop")(loop_cfg, task, name);
  EXPECT_EQ(loop.as<Loop>().steps, 30);
  EXPECT_EQ(loop.as<Loop>().name, "a");
  auto log = std::make_shared<int>(7);
  EXPECT_EQ(get_class("Owner")(loop_cfg, log, 1).as<Owner>().log, log);
  // Temporaries, and an object that nobody made.
  Fit fit(FitConfig{.sides = 1});
  EXPECT_EQ(get_class("Loop")(loop_cfg, fit, std::string("b")).as<Loop>().steps, 2);
}

TEST(Made, WhatWasMadeLivesAsLongAsItIsShared) {
  std::shared_ptr<Task> task;
  {
    Made made = get_class("Fit")(FitConfig{.sides = 3});
    const Made keeper = get_class("Keeper")(LoopConfig{}, made);
    task = keeper.as<Keeper>().task.share<Task>();
  }
  EXPECT_EQ(task->steps(), 3);
}

TEST(Made, ArgumentsThatNoConstructorTakesAreRefused) {
  const Any cfg = FitConfig{};
  expect_error(ErrorKind::type,
               {"Owner is made of 2 arguments after its config, not of its config alone"},
               [] { get_class("Owner")(LoopConfig{}); });
  expect_error(
      ErrorKind::type,
      {"Fit is made of its config alone or 1 argument after its config, not of 2 arguments "
       "after its config (int, double)"},
      [&] { get_class("Fit")(cfg, 1, 2.5); });
  expect_error(ErrorKind::type, {"the constructor of Fit: expected a int, got a double"},
               [&] { get_class("Fit")(cfg, 2.5); });
  expect_error(ErrorKind::type,
               {"the constructor of Loop: expected a made_test::Task, got a made_test::Owner"}, [] {
                 Made owner = get_class("Owner")(LoopConfig{}, std::make_shared<int>(), 1);
                 get_class("Loop")(LoopConfig{}, owner, std::string());
               });
  expect_error(ErrorKind::unsupported,
               {"Nothing cannot be made: it has no constructor from a LoopConfig"},
               [] { get_class("Nothing")(LoopConfig{}); });
}

}  // namespace
}  // namespace tfimm::train
