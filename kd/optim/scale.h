// Transformations that scale gradients: by a number, by signs, by norms, by rows and columns.
#pragma once

#include "kd/optim/forward.h"
#include "kd/optim/schedules.h"

namespace kd::optim {

// Times a number.
struct Scale {
  Required<double> step_size;  // the number
  Tree update(const Tree& grads) const;
  bool fuse(Tree& state, Fusion& fusion) const;
};

// Times a number that depends on the step.
struct ScaleBySchedule {
  Required<Poly<ScheduleFn>> step_size_fn;  // the number at each step
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
  bool fuse(Tree& state, Fusion& fusion) const;
};

// Times minus the learning rate: what turns a direction into a descent.
struct ScaleByLearningRate {
  Schedule learning_rate = Poly<ScheduleFn>();  // None: the updates pass unchanged
  bool flip_sign = true;                        // false: times plus the learning rate
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
  bool fuse(Tree& state, Fusion& fusion) const;
};

// The sign of each element.
struct ScaleBySign {
  Tree update(const Tree& grads) const;
  bool fuse(Tree& state, Fusion& fusion) const;
};

// Times the ratio of the norms of parameters and updates, leaf by leaf.
struct ScaleByTrustRatio {
  double min_norm = 0.0;           // smaller norms count as this
  double trust_coefficient = 1.0;  // of the ratio
  double eps = 0.0;                // added to the norm of the updates
  Tree update(const Tree& grads, const Tree& params) const;
};

// Times the norm of the parameters, leaf by leaf.
struct ScaleByParamBlockNorm {
  double min_scale = 1e-3;  // smaller norms count as this
  Tree update(const Tree& grads, const Tree& params) const;
};

// Times the root mean square of the parameters, leaf by leaf.
struct ScaleByParamBlockRms {
  double min_scale = 1e-3;  // smaller ones count as this
  Tree update(const Tree& grads, const Tree& params) const;
};

// Adadelta's update.
struct ScaleByAdadelta {
  double rho = 0.9;   // decay of the averages
  double eps = 1e-6;  // added below the roots
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
};

// Rprop's update.
struct ScaleByRprop {
  Required<double> learning_rate;  // the first step size
  double eta_minus = 0.5;          // factor when the sign changed
  double eta_plus = 1.2;           // factor when it did not
  double min_step_size = 1e-6;     // the smallest step
  double max_step_size = 50.0;     // the largest step
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
};

// Extrapolates from the last gradient.
struct ScaleByOptimisticGradient {
  double alpha = 1.0;  // weight of the gradient
  double beta = 1.0;   // weight of its change
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
};

// SM3's update.
struct ScaleBySm3 {
  double b1 = 0.9;    // decay of the averaged update
  double b2 = 1.0;    // decay of the sums; 1: none
  double eps = 1e-8;  // added below the root
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
};

// Adafactor's update.
struct ScaleByFactoredRms {
  bool factored = true;              // false: everything is stored whole
  double decay_rate = 0.8;           // exponent of the growing decay
  int step_offset = 0;               // steps that do not count, for fine-tuning
  int min_dim_size_to_factor = 128;  // smaller matrices are stored whole
  double epsilon = 1e-30;            // added to the squares
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
};

}  // namespace kd::optim

KONFIG_COMPONENT(kd::Optimizer, kd::optim::Scale, "optax:scale");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::ScaleBySchedule, "optax:scale_by_schedule");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::ScaleByLearningRate, "optax:scale_by_learning_rate");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::ScaleBySign, "optax:scale_by_sign");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::ScaleByTrustRatio, "optax:scale_by_trust_ratio");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::ScaleByParamBlockNorm,
                 "optax:scale_by_param_block_norm");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::ScaleByParamBlockRms, "optax:scale_by_param_block_rms");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::ScaleByAdadelta, "optax:scale_by_adadelta");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::ScaleByRprop, "optax:scale_by_rprop");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::ScaleByOptimisticGradient,
                 "optax:scale_by_optimistic_gradient");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::ScaleBySm3, "optax:scale_by_sm3");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::ScaleByFactoredRms, "optax:scale_by_factored_rms");
