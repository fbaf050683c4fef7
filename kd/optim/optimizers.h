// Optimizers: gradient transformations, alone or chained.
#pragma once

#include <optional>

#include "kd/optim/schedules.h"
#include "konfig/fields.h"

namespace kd::optim {

// Adam: adaptive moments. Kingma & Ba, 2014.
struct Adam {
  Schedule learning_rate = 1e-3;  // constant or schedule
  double b1 = 0.9;                // decay of the first moment
  double b2 = 0.999;              // decay of the second moment
  double eps = 1e-8;              // added to the denominator
};

// Stochastic gradient descent, with momentum when given.
struct Sgd {
  Schedule learning_rate = 1e-3;        // constant or schedule
  std::optional<double> momentum = {};  // decay of the accumulated gradient
  bool nesterov = false;                // looks ahead along the momentum
};

// Scales gradients down so that their global norm is at most `max_norm`.
struct ClipByGlobalNorm {
  Required<double> max_norm;
};

// Applies transformations one after the other.
struct Chain {
  konfig::Args<Poly<Optimizer>> transforms;
};

// A chain whose parts have names, so that overrides read `optimizer.adam.b1`.
struct NamedChain {
  konfig::Kwargs<Poly<Optimizer>> transforms;
};

}  // namespace kd::optim

KONFIG_COMPONENT(kd::Optimizer, kd::optim::Adam, "optax:adam");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::Sgd, "optax:sgd");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::ClipByGlobalNorm, "optax:clip_by_global_norm");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::Chain, "optax:chain");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::NamedChain, "kauldron.kd:optim.named_chain");
