// What Adam and its relatives are made of.
#include "kd/optim/adam.h"
#include "kd/optim/combine.h"
#include "kd/optim/engine/transform.h"
#include "kd/optim/layerwise.h"
#include "kd/optim/scale.h"
#include "kd/optim/scale_by_moments.h"
#include "kd/optim/transforms.h"

namespace kd::optim {

namespace {

template <class T>
ScaleByAdam adam_of(const T& t) {
  return {.b1 = t.b1,
          .b2 = t.b2,
          .eps = t.eps,
          .eps_root = t.eps_root,
          .mu_dtype = t.mu_dtype,
          .nesterov = t.nesterov};
}

template <class T>
AddDecayedWeights decay_of(const T& t) {
  return {.weight_decay = t.weight_decay, .mask = t.mask};
}

template <class T>
ScaleByLearningRate rate_of(const T& t) {
  return {.learning_rate = t.learning_rate};
}

}  // namespace

Poly<Optimizer> Adam::expand() const { return Chain{{adam_of(*this), rate_of(*this)}}; }
Poly<Optimizer> NAdam::expand() const { return Chain{{adam_of(*this), rate_of(*this)}}; }
Poly<Optimizer> AdamW::expand() const {
  return Chain{{adam_of(*this), decay_of(*this), rate_of(*this)}};
}
Poly<Optimizer> NAdamW::expand() const {
  return Chain{{adam_of(*this), decay_of(*this), rate_of(*this)}};
}

Poly<Optimizer> Adamax::expand() const {
  return Chain{{ScaleByAdamax{.b1 = b1, .b2 = b2, .eps = eps}, rate_of(*this)}};
}

Poly<Optimizer> AdamaxW::expand() const {
  return Chain{{ScaleByAdamax{.b1 = b1, .b2 = b2, .eps = eps}, decay_of(*this), rate_of(*this)}};
}

Poly<Optimizer> Amsgrad::expand() const {
  return Chain{{ScaleByAmsgrad{.b1 = b1,
                               .b2 = b2,
                               .eps = eps,
                               .eps_root = eps_root,
                               .mu_dtype = mu_dtype,
                               .bias_correction_mu = bias_correction_mu,
                               .bias_correction_nu = bias_correction_nu},
                rate_of(*this)}};
}

Poly<Optimizer> RAdam::expand() const {
  return Chain{{ScaleByRAdam{.b1 = b1,
                             .b2 = b2,
                             .eps = eps,
                             .eps_root = eps_root,
                             .threshold = threshold,
                             .nesterov = nesterov},
                rate_of(*this)}};
}

Poly<Optimizer> AdaBelief::expand() const {
  return Chain{
      {ScaleByBelief{.b1 = b1, .b2 = b2, .eps = eps, .eps_root = eps_root, .nesterov = nesterov},
       rate_of(*this)}};
}

Poly<Optimizer> Adan::expand() const {
  return Chain{{ScaleByAdan{.b1 = b1, .b2 = b2, .b3 = b3, .eps = eps, .eps_root = eps_root},
                decay_of(*this), rate_of(*this)}};
}

Poly<Optimizer> Yogi::expand() const {
  return Chain{{ScaleByYogi{.b1 = b1, .b2 = b2, .eps = eps}, rate_of(*this)}};
}

Poly<Optimizer> Lamb::expand() const {
  return Chain{{ScaleByAdam{.b1 = b1, .b2 = b2, .eps = eps, .eps_root = eps_root}, decay_of(*this),
                ScaleByTrustRatio{}, rate_of(*this)}};
}

Poly<Optimizer> Novograd::expand() const {
  return Chain{
      {ScaleByNovograd{
           .b1 = b1, .b2 = b2, .eps = eps, .eps_root = eps_root, .weight_decay = weight_decay},
       rate_of(*this)}};
}

Poly<Optimizer> OptimisticAdam::expand() const {
  const double beta = optimism.value_or(learning_rate);
  return Chain{{adam_of(*this), ScaleByOptimisticGradient{.alpha = learning_rate, .beta = beta},
                ScaleByLearningRate{.learning_rate = 1.0}}};
}

Poly<Optimizer> OptimisticAdamV2::expand() const {
  return Chain{
      {adam_of(*this), ScaleByOptimisticGradient{.alpha = alpha, .beta = beta}, rate_of(*this)}};
}

}  // namespace kd::optim
