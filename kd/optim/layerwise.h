// Optimizers that look at a layer as a whole, and Adam for games.
#pragma once

#include <optional>

#include "kd/core/dtype.h"
#include "kd/optim/forward.h"
#include "kd/optim/masks.h"
#include "kd/optim/schedules.h"

namespace kd::optim {

// Adam with steps relative to the norm of each layer, for large batches. You et al., 2020.
struct Lamb {
  Required<Schedule> learning_rate;  // constant or schedule
  double b1 = 0.9;                   // decay of the first moment
  double b2 = 0.999;                 // decay of the second moment
  double eps = 1e-6;                 // added to the denominator
  double eps_root = 0.0;             // added below the root
  Schedule weight_decay = 0.0;       // added to Adam's update
  Mask mask = {};                    // the leaves that decay; None: all
  Poly<Optimizer> expand() const;
};

// Gradient descent with steps relative to the norm of each layer. You et al., 2017.
struct Lars {
  Required<Schedule> learning_rate;  // constant or schedule
  Schedule weight_decay = 0.0;       // added to the gradient
  Mask weight_decay_mask = true;     // the leaves that decay
  double trust_coefficient = 0.001;  // of the ratio of the norms
  double eps = 0.0;                  // added to the denominator of the ratio
  Mask trust_ratio_mask = true;      // the leaves whose steps are relative
  double momentum = 0.9;             // decay of the accumulated step
  bool nesterov = false;             // looks ahead along the momentum
  Poly<Optimizer> expand() const;
};

// Steps relative to the norm of each layer, which keeps its size. Bernstein et al., 2020.
struct Fromage {
  Required<Schedule> learning_rate;  // constant or schedule
  double min_norm = 1e-6;            // smaller norms count as this
  Poly<Optimizer> expand() const;
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
};

// One second moment a layer. Ginsburg et al., 2019.
struct Novograd {
  Required<Schedule> learning_rate;  // constant or schedule
  double b1 = 0.9;                   // decay of the first moment
  double b2 = 0.25;                  // decay of the second moment
  double eps = 1e-6;                 // added to the denominator
  double eps_root = 0.0;             // added below the root
  double weight_decay = 0.0;         // added to the scaled gradient
  Poly<Optimizer> expand() const;
};

// Adam for games: extrapolates from the last update. Daskalakis et al., 2018.
struct OptimisticAdam {
  Required<double> learning_rate;       // a constant
  std::optional<double> optimism = {};  // weight of the change; None: the learning rate
  double b1 = 0.9;                      // decay of the first moment
  double b2 = 0.999;                    // decay of the second moment
  double eps = 1e-8;                    // added to the denominator
  double eps_root = 0.0;                // added below the root
  std::optional<DType> mu_dtype = {};   // of the stored first moment
  bool nesterov = true;                 // looks ahead along the first moment
  Poly<Optimizer> expand() const;
};

// The same with a learning rate that may be a schedule.
struct OptimisticAdamV2 {
  Required<Schedule> learning_rate;    // constant or schedule
  double alpha = 1.0;                  // weight of the update
  double beta = 1.0;                   // weight of its change
  double b1 = 0.9;                     // decay of the first moment
  double b2 = 0.999;                   // decay of the second moment
  double eps = 1e-8;                   // added to the denominator
  double eps_root = 0.0;               // added below the root
  std::optional<DType> mu_dtype = {};  // of the stored first moment
  bool nesterov = true;                // looks ahead along the first moment
  Poly<Optimizer> expand() const;
};

}  // namespace kd::optim

KONFIG_COMPONENT(kd::Optimizer, kd::optim::Lamb, "optax:lamb");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::Lars, "optax:lars");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::Fromage, "optax:fromage");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::Novograd, "optax:novograd");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::OptimisticAdam, "optax:optimistic_adam");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::OptimisticAdamV2, "optax:optimistic_adam_v2");
