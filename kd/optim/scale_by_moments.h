// Transformations that scale gradients by their history: what optimizers are chained from.
#pragma once

#include <optional>

#include "kd/core/dtype.h"
#include "kd/optim/forward.h"
#include "kd/optim/schedules.h"

namespace kd::optim {

// Adam's update, before the learning rate.
struct ScaleByAdam {
  double b1 = 0.9;                     // decay of the first moment
  double b2 = 0.999;                   // decay of the second moment
  double eps = 1e-8;                   // added to the denominator
  double eps_root = 0.0;               // added below the root
  std::optional<DType> mu_dtype = {};  // of the stored first moment; None: as the parameters
  bool nesterov = false;               // looks ahead along the first moment
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
  bool fuse(Tree& state, Fusion& fusion) const;
};

// Adamax's update.
struct ScaleByAdamax {
  double b1 = 0.9;    // decay of the first moment
  double b2 = 0.999;  // decay of the largest gradient
  double eps = 1e-8;  // added to the gradient's size
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
};

// AMSGrad's update.
struct ScaleByAmsgrad {
  double b1 = 0.9;                     // decay of the first moment
  double b2 = 0.999;                   // decay of the second moment
  double eps = 1e-8;                   // added to the denominator
  double eps_root = 0.0;               // added below the root
  std::optional<DType> mu_dtype = {};  // of the stored first moment; None: as the parameters
  bool bias_correction_mu = true;      // corrects the first moment for its start at 0
  bool bias_correction_nu = true;      // corrects the second moment for its start at 0
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
};

// RAdam's update.
struct ScaleByRAdam {
  double b1 = 0.9;         // decay of the first moment
  double b2 = 0.999;       // decay of the second moment
  double eps = 1e-8;       // added to the denominator
  double eps_root = 0.0;   // added below the root
  double threshold = 5.0;  // of the length of the moving average
  bool nesterov = false;   // looks ahead along the first moment
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
};

// AdaBelief's update.
struct ScaleByBelief {
  double b1 = 0.9;          // decay of the first moment
  double b2 = 0.999;        // decay of the second moment
  double eps = 1e-16;       // added to the denominator
  double eps_root = 1e-16;  // added to the second moment
  bool nesterov = false;    // looks ahead along the first moment
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
};

// Adan's update.
struct ScaleByAdan {
  double b1 = 0.98;       // decay of the first moment
  double b2 = 0.92;       // decay of the gradient differences
  double b3 = 0.99;       // decay of the squares
  double eps = 1e-8;      // added to the denominator
  double eps_root = 0.0;  // added below the root
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
};

// Yogi's update.
struct ScaleByYogi {
  double b1 = 0.9;                          // decay of the first moment
  double b2 = 0.999;                        // decay of the second moment
  double eps = 1e-3;                        // added to the denominator
  double eps_root = 0.0;                    // added below the root
  double initial_accumulator_value = 1e-6;  // both moments start with it
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
};

// How Lion takes the sign of its momentum.
enum class SignMode {
  hard,     // -1, 0 or 1
  smooth,   // tanh(smooth_beta * x)
  refined,  // x itself between -1 and 1
};

// Lion's update.
struct ScaleByLion {
  double b1 = 0.9;                     // share of the momentum in the step
  double b2 = 0.99;                    // decay of the momentum
  std::optional<DType> mu_dtype = {};  // of the stored momentum; None: as the parameters
  SignMode mode = SignMode::hard;      // of the sign
  double smooth_beta = 1.0;            // sharpness of the smooth sign
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
  bool fuse(Tree& state, Fusion& fusion) const;
};

// NovoGrad's update.
struct ScaleByNovograd {
  double b1 = 0.9;                     // decay of the first moment
  double b2 = 0.25;                    // decay of the second moment, one a leaf
  double eps = 1e-8;                   // added to the denominator
  double eps_root = 0.0;               // added below the root
  double weight_decay = 0.0;           // added to the scaled gradient
  std::optional<DType> mu_dtype = {};  // of the stored first moment; None: as the parameters
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
};

// Divides by the root of the sum of squares.
struct ScaleByRss {
  double initial_accumulator_value = 0.1;  // what the sum starts with
  double eps = 1e-7;                       // added below the root
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
};

// Divides by the root of the averaged squares.
struct ScaleByRms {
  double decay = 0.9;            // of the average
  double eps = 1e-8;             // keeps the division finite
  double initial_scale = 0.0;    // first value of the average
  bool eps_in_sqrt = true;       // eps is added below the root
  bool bias_correction = false;  // corrects the average for its start
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
  bool fuse(Tree& state, Fusion& fusion) const;
};

// Divides by the standard deviation.
struct ScaleByStddev {
  double decay = 0.9;            // of the averages
  double eps = 1e-8;             // keeps the division finite
  double initial_scale = 0.0;    // first value of the averaged squares
  bool eps_in_sqrt = true;       // eps is added below the root
  bool bias_correction = false;  // corrects the averages for their start
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
};

}  // namespace kd::optim

KONFIG_COMPONENT(kd::Optimizer, kd::optim::ScaleByAdam, "optax:scale_by_adam");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::ScaleByAdamax, "optax:scale_by_adamax");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::ScaleByAmsgrad, "optax:scale_by_amsgrad");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::ScaleByRAdam, "optax:scale_by_radam");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::ScaleByBelief, "optax:scale_by_belief");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::ScaleByAdan, "optax:scale_by_adan");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::ScaleByYogi, "optax:scale_by_yogi");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::ScaleByLion, "optax:scale_by_lion");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::ScaleByNovograd, "optax:scale_by_novograd");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::ScaleByRss, "optax:scale_by_rss");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::ScaleByRms, "optax:scale_by_rms");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::ScaleByStddev, "optax:scale_by_stddev");
