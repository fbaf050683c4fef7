#include "kd/problems/keras.h"

#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>

#include "kd/core/ops.h"
#include "kd/optim/engine/stepper.h"
#include "kd/optim/engine/transform.h"
#include "kd/optim/trees_test.h"
#include "kd/problems/experiments_test.h"

namespace kd::problems {
namespace {

// Three updates of the parameter 1 with the gradients 1, -2 and 0.5, and learning rates 0.1, 0.2
// and 0.05.
std::vector<double> updates(KerasOptimizer optimizer) {
  optimizer.learning_rate =
      Poly<ScheduleFn>(MultiSteps{.boundaries = std::vector<std::int64_t>{0, 1},
                                  .values = std::vector<double>{0.1, 0.2, 0.05}});
  Tree params = Tree::dict({{"w", at::full({1}, 1.0, at::kFloat)}});
  optim::Stepper stepper{Poly<Optimizer>(optimizer)};
  Tree state = stepper.init(params);
  std::vector<double> out;
  for (double g : {1.0, -2.0, 0.5}) {
    stepper.step(params, Tree::dict({{"w", at::full({1}, g, at::kFloat)}}), state);
    out.push_back(params.at("w").tensor().item<double>());
  }
  return out;
}

// The formulas of Keras 3, worked out in Python.
TEST(Keras, Numbers) {
  const std::map<std::string, std::vector<double>> expected = {
      {"sgd", {0.9, 1.21, 1.464}},
      {"adam", {0.900000316, 0.973220918, 0.980055442}},
      {"adamax", {0.900000010, 0.957894744, 0.962419564}},
      {"rmsprop", {0.683772392, 0.939289525, 1.157928724}},
      {"adadelta", {0.999858579, 1.000218152, 1.000188150}},
      {"adagrad", {0.904653745, 1.081776721, 1.070968278}}};
  for (auto& [name, values] : expected) {
    const auto ours = updates({.name = name});
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(ours[i], values[i], 1e-6) << name;
  }
}

// Each gradient by itself, not all together.
TEST(Keras, Clipping) {
  const Tree params = Tree::dict({{"a", at::full({4}, 0.0)}, {"b", at::full({1}, 0.0)}});
  const Tree grads = Tree::dict({{"a", at::full({4}, 3.0)}, {"b", at::full({1}, 0.25)}});
  auto step = [&](KerasOptimizer optimizer) {
    optimizer.learning_rate = 1.0;
    optimizer.betas = {0, 0};
    const Poly<Optimizer> any = optimizer;
    return optim::update(any, grads, optim::init(any, params), params).updates;
  };
  const Tree by_norm = step({.name = "sgd", .clipnorm = 1.0});
  EXPECT_NEAR(by_norm.at("a").tensor()[0].item<double>(), -0.5, 1e-6);
  EXPECT_NEAR(by_norm.at("b").tensor()[0].item<double>(), -0.25, 1e-6);
  const Tree by_value = step({.name = "sgd", .clipvalue = 0.5});
  EXPECT_NEAR(by_value.at("a").tensor()[0].item<double>(), -0.5, 1e-6);
  EXPECT_THAT(error_of([&] { step({.name = "sgd", .clipnorm = 1.0, .clipvalue = 1.0}); }),
              HasSubstr("choose one of them"));
}

// One pass over the parameters gives the bits of one operation after the other.
TEST(Keras, FusedStepsAreThePlainOnes) {
  const KerasOptimizer sgd{.name = "sgd", .learning_rate = 0.03},
      adam{.name = "adam", .learning_rate = 0.03};
  KerasOptimizer plain_sgd = sgd, clipped = adam, by_norm = adam;
  plain_sgd.betas = {0, 0};
  clipped.clipvalue = 0.5;
  by_norm.clipnorm = 0.5;
  for (const KerasOptimizer& optimizer : {sgd, plain_sgd, adam, clipped, by_norm}) {
    at::manual_seed(5);
    Tree params = optim::random_tree(0, 1000);
    Tree plain_params = optim::copy_of(params);
    optim::Stepper stepper{Poly<Optimizer>(optimizer)};
    Tree state = stepper.init(params), plain_state = stepper.init(params);
    for (std::uint64_t i = 0; i < 5; ++i) {
      const Tree grads = optim::random_tree(i, 1000);
      stepper.step(params, grads, state);
      EXPECT_EQ(stepper.last_was_fused(), !optimizer.clipnorm.has_value());
      stepper.step_plain(plain_params, grads, plain_state);
    }
    EXPECT_EQ(optim::bit_difference(params, plain_params), "") << *optimizer.name;
    EXPECT_EQ(optim::bit_difference(state, plain_state), "") << *optimizer.name;
  }
}

class Optimizers : public Experiments {};

TEST_F(Optimizers, WhatTheFactoryRefuses) {
  auto error = [](OptimizerConfig cfg) {
    cfg.lr_schedule = LRConstConfig{.lr = 0.1};
    cfg.lr_schedule_class = "LRConstFactory";
    const OptimizerFactory factory(cfg);
    return error_of(
        [&] { factory.optimizer(factory.lr_schedule({.nb_epochs = 1, .batch_size = 8})); });
  };
  EXPECT_THAT(error({.optimizer = "adan"}),
              AllOf(HasSubstr("there is no 'adan'"), HasSubstr("adam")));
  EXPECT_THAT(error({.clipnorm = 1, .clipvalue = 1}), HasSubstr("and so is clipvalue"));
  EXPECT_THAT(error({.clipnorm = 0}), HasSubstr("expected a number above 0"));
  EXPECT_THAT(error({.lr_warmup = 2}),
              AllOf(HasSubstr("timekeeping.nb_samples_per_epoch"), HasSubstr("not set")));
}

// A warm-up of the whole run would rise to the end of the cosine.
TEST_F(Optimizers, AWarmUpToNothingIsRefused) {
  const Timekeeping time{.nb_epochs = 2, .batch_size = 10, .nb_samples_per_epoch = 100};
  auto error = [&](int epochs, double alpha) {
    const OptimizerFactory factory({.lr_schedule = LRCosineDecayConfig{.lr = 0.1, .alpha = alpha},
                                    .lr_schedule_class = "LRCosineDecayFactory",
                                    .lr_warmup = epochs});
    return error_of([&] { factory.lr_schedule(time); });
  };
  EXPECT_THAT(error(2, 0), HasSubstr("lr_warmup: the rate rises to that of the schedule after 2"));
  EXPECT_EQ(error(1, 0), "");
  EXPECT_EQ(error(2, 0.5), "");
}

TEST_F(Optimizers, SchedulesNeedWholeBatches) {
  const Timekeeping none{.nb_epochs = 1, .batch_size = 100, .nb_samples_per_epoch = 99};
  EXPECT_THAT(error_of([&] { LRCosineDecayFactory({.lr = 0.1}).schedule(none); }),
              HasSubstr("the schedule has 0 steps"));
  EXPECT_THAT(error_of([&] {
                LRMultiStepsFactory(
                    {.lr_boundaries = std::vector<int>{1}, .lr_values = std::vector<double>{0.1}})
                    .schedule(none);
              }),
              HasSubstr("expected one more than lr_boundaries, got 1 and 1"));
}

}  // namespace
}  // namespace kd::problems
