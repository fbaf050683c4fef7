// What Adam and its relatives are made of.
#include "kd/optim/adam.h"
#include "kd/optim/combine.h"
#include "kd/optim/layerwise.h"
#include "kd/optim/scale.h"
#include "kd/optim/scale_more.h"
#include "kd/optim/transform.h"
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

Poly<Optimizer> expand(const Adam& t) { return Chain{{adam_of(t), rate_of(t)}}; }
Poly<Optimizer> expand(const NAdam& t) { return Chain{{adam_of(t), rate_of(t)}}; }
Poly<Optimizer> expand(const AdamW& t) { return Chain{{adam_of(t), decay_of(t), rate_of(t)}}; }
Poly<Optimizer> expand(const NAdamW& t) { return Chain{{adam_of(t), decay_of(t), rate_of(t)}}; }

Poly<Optimizer> expand(const Adamax& t) {
  return Chain{{ScaleByAdamax{.b1 = t.b1, .b2 = t.b2, .eps = t.eps}, rate_of(t)}};
}

Poly<Optimizer> expand(const AdamaxW& t) {
  return Chain{{ScaleByAdamax{.b1 = t.b1, .b2 = t.b2, .eps = t.eps}, decay_of(t), rate_of(t)}};
}

Poly<Optimizer> expand(const Amsgrad& t) {
  return Chain{{ScaleByAmsgrad{.b1 = t.b1,
                               .b2 = t.b2,
                               .eps = t.eps,
                               .eps_root = t.eps_root,
                               .mu_dtype = t.mu_dtype,
                               .bias_correction_mu = t.bias_correction_mu,
                               .bias_correction_nu = t.bias_correction_nu},
                rate_of(t)}};
}

Poly<Optimizer> expand(const RAdam& t) {
  return Chain{{ScaleByRAdam{.b1 = t.b1,
                             .b2 = t.b2,
                             .eps = t.eps,
                             .eps_root = t.eps_root,
                             .threshold = t.threshold,
                             .nesterov = t.nesterov},
                rate_of(t)}};
}

Poly<Optimizer> expand(const AdaBelief& t) {
  return Chain{
      {ScaleByBelief{
           .b1 = t.b1, .b2 = t.b2, .eps = t.eps, .eps_root = t.eps_root, .nesterov = t.nesterov},
       rate_of(t)}};
}

Poly<Optimizer> expand(const Adan& t) {
  return Chain{
      {ScaleByAdan{.b1 = t.b1, .b2 = t.b2, .b3 = t.b3, .eps = t.eps, .eps_root = t.eps_root},
       decay_of(t), rate_of(t)}};
}

Poly<Optimizer> expand(const Yogi& t) {
  return Chain{{ScaleByYogi{.b1 = t.b1, .b2 = t.b2, .eps = t.eps}, rate_of(t)}};
}

Poly<Optimizer> expand(const Lamb& t) {
  return Chain{{ScaleByAdam{.b1 = t.b1, .b2 = t.b2, .eps = t.eps, .eps_root = t.eps_root},
                decay_of(t), ScaleByTrustRatio{}, rate_of(t)}};
}

Poly<Optimizer> expand(const Novograd& t) {
  return Chain{{ScaleByNovograd{.b1 = t.b1,
                                .b2 = t.b2,
                                .eps = t.eps,
                                .eps_root = t.eps_root,
                                .weight_decay = t.weight_decay},
                rate_of(t)}};
}

Poly<Optimizer> expand(const OptimisticAdam& t) {
  const double optimism = t.optimism.value_or(t.learning_rate);
  return Chain{{adam_of(t), ScaleByOptimisticGradient{.alpha = t.learning_rate, .beta = optimism},
                ScaleByLearningRate{.learning_rate = 1.0}}};
}

Poly<Optimizer> expand(const OptimisticAdamV2& t) {
  return Chain{
      {adam_of(t), ScaleByOptimisticGradient{.alpha = t.alpha, .beta = t.beta}, rate_of(t)}};
}

}  // namespace kd::optim

KD_IMPLEMENT(kd::Optimizer, kd::optim::Adam);
KD_IMPLEMENT(kd::Optimizer, kd::optim::AdamW);
KD_IMPLEMENT(kd::Optimizer, kd::optim::NAdam);
KD_IMPLEMENT(kd::Optimizer, kd::optim::NAdamW);
KD_IMPLEMENT(kd::Optimizer, kd::optim::Adamax);
KD_IMPLEMENT(kd::Optimizer, kd::optim::AdamaxW);
KD_IMPLEMENT(kd::Optimizer, kd::optim::Amsgrad);
KD_IMPLEMENT(kd::Optimizer, kd::optim::RAdam);
KD_IMPLEMENT(kd::Optimizer, kd::optim::AdaBelief);
KD_IMPLEMENT(kd::Optimizer, kd::optim::Adan);
KD_IMPLEMENT(kd::Optimizer, kd::optim::Yogi);
KD_IMPLEMENT(kd::Optimizer, kd::optim::Lamb);
KD_IMPLEMENT(kd::Optimizer, kd::optim::Novograd);
KD_IMPLEMENT(kd::Optimizer, kd::optim::OptimisticAdam);
KD_IMPLEMENT(kd::Optimizer, kd::optim::OptimisticAdamV2);
