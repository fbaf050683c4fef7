// Optimizers with the numbers of Keras, and the learning rates of experiments.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kd/optim/forward.h"
#include "kd/optim/schedules.h"

namespace kd::problems {

// An optimizer as Keras computes it, which differs from Optax in where epsilon and the learning
// rate stand. Gradients may be clipped first, each by itself.
struct KerasOptimizer {
  Required<std::string> name;                  // sgd, adam, adamax, rmsprop, adadelta, adagrad
  Required<Schedule> learning_rate;            // constant or schedule
  std::array<double, 2> betas = {0.9, 0.999};  // of Adam; sgd: momentum; rmsprop: rho, momentum
  std::optional<double> clipnorm = {};         // largest norm of each gradient
  std::optional<double> clipvalue = {};        // largest entry of each gradient
  double epsilon = 1e-7;                       // keeps divisions finite
  double rho = 0.95;                           // adadelta: decay of the averages
  double initial_accumulator_value = 0.1;      // adagrad: what the sums start with
  Tree init(const Tree& params) const;
  optim::Update update(const Tree& grads, const Tree& state, const Tree& params) const;
  bool fuse(Tree& state, optim::Fusion& fusion) const;
};

// Values that change after given steps: value i holds up to and with step boundaries[i].
struct MultiSteps {
  Required<std::vector<std::int64_t>> boundaries;  // the steps behind which the next value holds
  Required<std::vector<double>> values;            // one more than boundaries
  double operator()(std::int64_t step) const;
};

// From 0 in a straight line to what the schedule says at the end of the warm-up; then the schedule,
// whose clock started with the run.
struct Warmup {
  Poly<ScheduleFn> schedule = {};  // what follows the warm-up
  Required<std::int64_t> steps;    // length of the warm-up
  double operator()(std::int64_t step) const;
};

}  // namespace kd::problems

KONFIG_COMPONENT(kd::Optimizer, kd::problems::KerasOptimizer);
KONFIG_COMPONENT(kd::ScheduleFn, kd::problems::MultiSteps);
KONFIG_COMPONENT(kd::ScheduleFn, kd::problems::Warmup);
