// Optimizers without Adam's pair of moments: gradient descent, signs, and rates by past gradients.
#pragma once

#include <optional>

#include "kd/core/dtype.h"
#include "kd/optim/masks.h"
#include "kd/optim/schedules.h"

namespace kd::optim {

// Stochastic gradient descent, with momentum when given.
struct Sgd {
  Required<Schedule> learning_rate;             // constant or schedule
  std::optional<double> momentum = {};          // decay of the accumulated gradient
  bool nesterov = false;                        // looks ahead along the momentum
  std::optional<DType> accumulator_dtype = {};  // of the accumulated gradient
  Poly<Optimizer> expand() const;
};

// Gradient descent with noise that fades. Neelakantan et al., 2014.
struct NoisySgd {
  Required<Schedule> learning_rate;  // constant or schedule
  double eta = 0.01;                 // variance of the noise at the first step
  double gamma = 0.55;               // how fast it fades
  std::optional<int> key = {};       // seed of the noise
  std::optional<int> seed = {};      // the former name of `key`
  Poly<Optimizer> expand() const;
};

// Steps by the sign of the gradient.
struct SignSgd {
  Required<Schedule> learning_rate;  // constant or schedule
  Poly<Optimizer> expand() const;
};

// Steps by the sign of the averaged gradient. Bernstein et al., 2018.
struct Signum {
  Required<Schedule> learning_rate;             // constant or schedule
  double beta = 0.9;                            // decay of the average
  std::optional<DType> accumulator_dtype = {};  // of the average
  Poly<Optimizer> expand() const;
};

// Steps by the sign of an interpolated momentum. Chen et al., 2023.
struct Lion {
  Required<Schedule> learning_rate;    // constant or schedule
  double b1 = 0.9;                     // share of the momentum in the step
  double b2 = 0.99;                    // decay of the momentum
  std::optional<DType> mu_dtype = {};  // of the stored momentum; None: as the parameters
  Schedule weight_decay = 1e-3;        // multiplied by the learning rate, too
  Mask mask = {};                      // the leaves that decay; None: all
  Poly<Optimizer> expand() const;
};

// Steps whose sizes grow and shrink with the sign of the gradient. Riedmiller & Braun, 1993.
struct Rprop {
  Required<double> learning_rate;  // the first step size
  double eta_minus = 0.5;          // factor when the sign changed
  double eta_plus = 1.2;           // factor when it did not
  double min_step_size = 1e-6;     // the smallest step
  double max_step_size = 50.0;     // the largest step
  Poly<Optimizer> expand() const;
};

// Gradient descent for games: extrapolates from the last gradient.
struct OptimisticGradientDescent {
  Required<Schedule> learning_rate;  // constant or schedule
  double alpha = 1.0;                // weight of the gradient
  double beta = 1.0;                 // weight of its change
  Poly<Optimizer> expand() const;
};

// Divides by the root of all squared gradients so far. Duchi et al., 2011.
struct Adagrad {
  Required<Schedule> learning_rate;        // constant or schedule
  double initial_accumulator_value = 0.1;  // what the sum starts with
  double eps = 1e-7;                       // added below the root
  Poly<Optimizer> expand() const;
};

// Rates from past gradients and past steps. Zeiler, 2012.
struct Adadelta {
  Schedule learning_rate = Poly<ScheduleFn>();  // None: 1, without a change of sign
  double rho = 0.9;                             // decay of the averages
  double eps = 1e-6;                            // added below the roots
  Schedule weight_decay = 0.0;                  // added to the gradient
  Mask weight_decay_mask = {};                  // the leaves that decay; None: all
  Poly<Optimizer> expand() const;
};

// Divides by the root of averaged squares. Hinton, 2012.
struct RmsProp {
  Required<Schedule> learning_rate;     // constant or schedule
  double decay = 0.9;                   // of the averages
  double eps = 1e-8;                    // keeps the division finite
  double initial_scale = 0.0;           // first value of the averaged squares
  bool eps_in_sqrt = true;              // eps is added below the root
  bool centered = false;                // squares around the mean
  std::optional<double> momentum = {};  // decay of the accumulated update
  bool nesterov = false;                // looks ahead along the momentum
  bool bias_correction = false;         // corrects the averages for their start
  Poly<Optimizer> expand() const;
};

// Adagrad with a row and a column of sums in place of a matrix. Anil et al., 2019.
struct Sm3 {
  Required<double> learning_rate;  // a constant
  double momentum = 0.9;           // decay of the averaged update
  Poly<Optimizer> expand() const;
};

// Averaged squares by rows and columns, so that little is stored. Shazeer & Stern, 2018.
struct Adafactor {
  Schedule learning_rate = Poly<ScheduleFn>();     // None: the parameters' scale alone
  int min_dim_size_to_factor = 128;                // smaller matrices are stored whole
  double decay_rate = 0.8;                         // exponent of the growing decay
  int decay_offset = 0;                            // steps that do not count, for fine-tuning
  bool multiply_by_parameter_scale = true;         // steps relative to the parameters
  std::optional<double> clipping_threshold = 1.0;  // of the root mean square of the update
  std::optional<double> momentum = {};             // decay of the averaged update
  DType dtype_momentum = DType::float32;           // of the stored average
  std::optional<Schedule> weight_decay_rate = {};  // not multiplied by the learning rate
  double eps = 1e-30;                              // added to the squares
  bool factored = true;                            // false: everything is stored whole
  Mask weight_decay_mask = {};                     // the leaves that decay; None: all
  Poly<Optimizer> expand() const;
};

}  // namespace kd::optim

KONFIG_COMPONENT(kd::Optimizer, kd::optim::Sgd, "optax:sgd");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::NoisySgd, "optax:noisy_sgd");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::SignSgd, "optax:sign_sgd");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::Signum, "optax:signum");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::Lion, "optax:lion");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::Rprop, "optax:rprop");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::OptimisticGradientDescent,
                 "optax:optimistic_gradient_descent");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::Adagrad, "optax:adagrad");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::Adadelta, "optax:adadelta");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::RmsProp, "optax:rmsprop");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::Sm3, "optax:sm3");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::Adafactor, "optax:adafactor");
