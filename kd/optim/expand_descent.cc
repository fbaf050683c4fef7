// What gradient descent and its relatives are made of.
#include <cmath>

#include "kd/optim/combine.h"
#include "kd/optim/descent.h"
#include "kd/optim/layerwise.h"
#include "kd/optim/math_impl.h"
#include "kd/optim/scale.h"
#include "kd/optim/scale_more.h"
#include "kd/optim/transform.h"
#include "kd/optim/transforms.h"

namespace kd::optim {

namespace {

template <class T>
ScaleByLearningRate rate_of(const T& t) {
  return {.learning_rate = t.learning_rate};
}

Poly<Optimizer> trace_of(std::optional<double> momentum, bool nesterov,
                         std::optional<DType> dtype = {}) {
  if (!momentum) return Identity{};
  return Trace{.decay = *momentum, .nesterov = nesterov, .accumulator_dtype = dtype};
}

}  // namespace

Poly<Optimizer> expand(const Sgd& t) {
  return Chain{{trace_of(t.momentum, t.nesterov, t.accumulator_dtype), rate_of(t)}};
}

Poly<Optimizer> expand(const NoisySgd& t) {
  return Chain{
      {AddNoise{.eta = t.eta, .gamma = t.gamma, .key = t.key, .seed = t.seed}, rate_of(t)}};
}

Poly<Optimizer> expand(const SignSgd& t) { return Chain{{ScaleBySign{}, rate_of(t)}}; }

Poly<Optimizer> expand(const Signum& t) {
  return Chain{{Ema{.decay = t.beta, .debias = false, .accumulator_dtype = t.accumulator_dtype},
                ScaleBySign{}, rate_of(t)}};
}

Poly<Optimizer> expand(const Lion& t) {
  return Chain{{ScaleByLion{.b1 = t.b1, .b2 = t.b2, .mu_dtype = t.mu_dtype},
                AddDecayedWeights{.weight_decay = t.weight_decay, .mask = t.mask}, rate_of(t)}};
}

Poly<Optimizer> expand(const Rprop& t) {
  return Chain{{ScaleByRprop{.learning_rate = *t.learning_rate,
                             .eta_minus = t.eta_minus,
                             .eta_plus = t.eta_plus,
                             .min_step_size = t.min_step_size,
                             .max_step_size = t.max_step_size},
                Scale{-1.0}}};
}

Poly<Optimizer> expand(const OptimisticGradientDescent& t) {
  return Chain{{ScaleByOptimisticGradient{.alpha = t.alpha, .beta = t.beta}, rate_of(t)}};
}

Poly<Optimizer> expand(const Adagrad& t) {
  return Chain{{ScaleByRss{.initial_accumulator_value = t.initial_accumulator_value, .eps = t.eps},
                rate_of(t)}};
}

Poly<Optimizer> expand(const Adadelta& t) {
  return Chain{{AddDecayedWeights{.weight_decay = t.weight_decay, .mask = t.weight_decay_mask},
                ScaleByAdadelta{.rho = t.rho, .eps = t.eps}, rate_of(t)}};
}

Poly<Optimizer> expand(const RmsProp& t) {
  Poly<Optimizer> scaling = ScaleByRms{.decay = t.decay,
                                       .eps = t.eps,
                                       .initial_scale = t.initial_scale,
                                       .eps_in_sqrt = t.eps_in_sqrt,
                                       .bias_correction = t.bias_correction};
  if (t.centered) {
    scaling = ScaleByStddev{.decay = t.decay,
                            .eps = t.eps,
                            .initial_scale = t.initial_scale,
                            .eps_in_sqrt = t.eps_in_sqrt,
                            .bias_correction = t.bias_correction};
  }
  return Chain{{scaling, rate_of(t), trace_of(t.momentum, t.nesterov)}};
}

Poly<Optimizer> expand(const Sm3& t) {
  return Chain{{ScaleBySm3{.b1 = t.momentum}, Scale{-*t.learning_rate}}};
}

Poly<Optimizer> expand(const Adafactor& t) {
  Chain chain{{ScaleByFactoredRms{.factored = t.factored,
                                  .decay_rate = t.decay_rate,
                                  .step_offset = t.decay_offset,
                                  .min_dim_size_to_factor = t.min_dim_size_to_factor,
                                  .epsilon = t.eps}}};
  auto& parts = chain.transforms;
  if (t.clipping_threshold) parts.push_back(ClipByBlockRms{*t.clipping_threshold});
  if (!is_none(t.learning_rate)) {
    parts.push_back(ScaleByLearningRate{.learning_rate = t.learning_rate, .flip_sign = false});
  }
  if (t.multiply_by_parameter_scale) parts.push_back(ScaleByParamBlockRms{});
  if (t.momentum) {
    parts.push_back(
        Ema{.decay = *t.momentum, .debias = false, .accumulator_dtype = t.dtype_momentum});
  }
  if (t.weight_decay_rate) {
    parts.push_back(
        AddDecayedWeights{.weight_decay = *t.weight_decay_rate, .mask = t.weight_decay_mask});
  }
  parts.push_back(Scale{-1.0});
  return chain;
}

Poly<Optimizer> expand(const Lars& t) {
  return Chain{
      {AddDecayedWeights{.weight_decay = t.weight_decay, .mask = t.weight_decay_mask},
       Masked{.inner = ScaleByTrustRatio{.trust_coefficient = t.trust_coefficient, .eps = t.eps},
              .mask = t.trust_ratio_mask},
       rate_of(t), Trace{.decay = t.momentum, .nesterov = t.nesterov}}};
}

// ---- Fromage: both its rate and its decay follow from the learning rate.

namespace {

Poly<Optimizer> fromage_at(const Fromage& t, std::int32_t count) {
  const double rate = value_at(*t.learning_rate, count).value;
  const double shrink = 1 / std::sqrt(1 + rate * rate);
  return Chain{{ScaleByTrustRatio{.min_norm = t.min_norm}, Scale{-rate * shrink},
                AddDecayedWeights{.weight_decay = shrink - 1}}};
}

}  // namespace

Poly<Optimizer> expand(const Fromage& t) {
  if (is_schedule(*t.learning_rate)) return {};
  return fromage_at(t, 0);
}

Tree init_state(const Fromage&, const Tree&) {
  return Tree::list({empty_state(), Tree::record("ScaleByScheduleState", {{"count", counter()}}),
                     Tree::record("WeightDecaySchedule", {{"count", counter()}})});
}

Update transform(const Fromage& t, const Tree& grads, const Tree& state, const Tree& params) {
  const std::int32_t count = count_of(field(state.child(1), "ScaleByScheduleState", "count"));
  const Tree states = Tree::list({empty_state(), empty_state(), empty_state()});
  Update next = update_inner(fromage_at(t, count), grads, states, params);
  Tree counted = init_state(t, params);
  counted.child(1)["count"] = counter(after(count));
  counted.child(2)["count"] = counter(after(count));
  return {std::move(next.updates), std::move(counted)};
}

}  // namespace kd::optim

KD_IMPLEMENT(kd::Optimizer, kd::optim::Sgd);
KD_IMPLEMENT(kd::Optimizer, kd::optim::NoisySgd);
KD_IMPLEMENT(kd::Optimizer, kd::optim::SignSgd);
KD_IMPLEMENT(kd::Optimizer, kd::optim::Signum);
KD_IMPLEMENT(kd::Optimizer, kd::optim::Lion);
KD_IMPLEMENT(kd::Optimizer, kd::optim::Rprop);
KD_IMPLEMENT(kd::Optimizer, kd::optim::OptimisticGradientDescent);
KD_IMPLEMENT(kd::Optimizer, kd::optim::Adagrad);
KD_IMPLEMENT(kd::Optimizer, kd::optim::Adadelta);
KD_IMPLEMENT(kd::Optimizer, kd::optim::RmsProp);
KD_IMPLEMENT(kd::Optimizer, kd::optim::Sm3);
KD_IMPLEMENT(kd::Optimizer, kd::optim::Adafactor);
KD_IMPLEMENT(kd::Optimizer, kd::optim::Lars);
KD_IMPLEMENT(kd::Optimizer, kd::optim::Fromage);
