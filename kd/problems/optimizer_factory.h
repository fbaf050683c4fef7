// OptimizerFactory and its learning rates, which count in epochs.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "kd/problems/classes.h"

namespace kd::problems {

struct OptimizerConfig {
  Any lr_schedule;                             // the learning rate
  Required<std::string> lr_schedule_class;     // LRConstFactory, LRCosineDecayFactory, ...
  int lr_warmup = -1;                          // epochs from 0 to the schedule's value; -1: none
  std::string optimizer = "sgd";               // sgd, adam, adamax, rmsprop, adadelta, adagrad
  std::array<double, 2> betas = {0.9, 0.999};  // of Adam; sgd: momentum; rmsprop: rho, momentum
  double clipnorm = -1.0;                      // largest norm of each gradient; -1: not clipped
  double clipvalue = -1.0;                     // largest entry of each gradient; -1: not clipped
  double epsilon = 1e-7;                       // keeps divisions finite
  double rho = 0.95;                           // adadelta: decay of the averages
  double initial_accumulator_value = 0.1;      // adagrad: what the sums start with
};

struct OptimizerFactory : OptimizerBase {
  using cfg_class = OptimizerConfig;
  explicit OptimizerFactory(const OptimizerConfig& cfg) : cfg(cfg) {}
  // With the warm-up.
  Poly<ScheduleFn> lr_schedule(const Timekeeping& time) const override;
  Poly<Optimizer> optimizer(const Poly<ScheduleFn>& lr) const override;
  OptimizerConfig cfg;
};

struct LRConstConfig {
  Required<double> lr;  // the learning rate
};
struct LRConstFactory : LRScheduleBase {
  using cfg_class = LRConstConfig;
  explicit LRConstFactory(const LRConstConfig& cfg) : cfg(cfg) {}
  Poly<ScheduleFn> schedule(const Timekeeping& time) const override;
  LRConstConfig cfg;
};

struct LRMultiStepsConfig {
  Required<std::vector<int>> lr_boundaries;  // the last epochs of all values but the last
  Required<std::vector<double>> lr_values;   // one more than boundaries
};
struct LRMultiStepsFactory : LRScheduleBase {
  using cfg_class = LRMultiStepsConfig;
  explicit LRMultiStepsFactory(const LRMultiStepsConfig& cfg) : cfg(cfg) {}
  Poly<ScheduleFn> schedule(const Timekeeping& time) const override;
  LRMultiStepsConfig cfg;
};

struct LRCosineDecayConfig {
  Required<double> lr;  // at the first step
  double alpha = 0.0;   // part of it that is left at the end
};
struct LRCosineDecayFactory : LRScheduleBase {
  using cfg_class = LRCosineDecayConfig;
  explicit LRCosineDecayFactory(const LRCosineDecayConfig& cfg) : cfg(cfg) {}
  Poly<ScheduleFn> schedule(const Timekeeping& time) const override;
  LRCosineDecayConfig cfg;
};

struct LRExpDecayConfig {
  Required<double> lr;               // at the first step
  Required<double> lr_decay_rate;    // factor of each decay
  Required<int> lr_decay_frequency;  // epochs between decays
  bool staircase = true;             // at once instead of smoothly
};
struct LRExponentialDecayFactory : LRScheduleBase {
  using cfg_class = LRExpDecayConfig;
  explicit LRExponentialDecayFactory(const LRExpDecayConfig& cfg) : cfg(cfg) {}
  Poly<ScheduleFn> schedule(const Timekeeping& time) const override;
  LRExpDecayConfig cfg;
};

}  // namespace kd::problems

KONFIG_TYPE(kd::problems::OptimizerConfig, "tfimm.train:OptimizerConfig");
KONFIG_TYPE(kd::problems::LRConstConfig, "tfimm.train:LRConstConfig");
KONFIG_TYPE(kd::problems::LRMultiStepsConfig, "tfimm.train:LRMultiStepsConfig");
KONFIG_TYPE(kd::problems::LRCosineDecayConfig, "tfimm.train:LRCosineDecayConfig");
KONFIG_TYPE(kd::problems::LRExpDecayConfig, "tfimm.train:LRExpDecayConfig");
