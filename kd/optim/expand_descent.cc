// What gradient descent and its relatives are made of.
#include <cmath>

#include "kd/optim/combine.h"
#include "kd/optim/descent.h"
#include "kd/optim/engine/transform.h"
#include "kd/optim/layerwise.h"
#include "kd/optim/math_impl.h"
#include "kd/optim/scale.h"
#include "kd/optim/scale_by_moments.h"
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

Poly<Optimizer> Sgd::expand() const {
  return Chain{{trace_of(momentum, nesterov, accumulator_dtype), rate_of(*this)}};
}

Poly<Optimizer> NoisySgd::expand() const {
  return Chain{{AddNoise{.eta = eta, .gamma = gamma, .key = key, .seed = seed}, rate_of(*this)}};
}

Poly<Optimizer> SignSgd::expand() const { return Chain{{ScaleBySign{}, rate_of(*this)}}; }

Poly<Optimizer> Signum::expand() const {
  return Chain{{Ema{.decay = beta, .debias = false, .accumulator_dtype = accumulator_dtype},
                ScaleBySign{}, rate_of(*this)}};
}

Poly<Optimizer> Lion::expand() const {
  return Chain{{ScaleByLion{.b1 = b1, .b2 = b2, .mu_dtype = mu_dtype},
                AddDecayedWeights{.weight_decay = weight_decay, .mask = mask}, rate_of(*this)}};
}

Poly<Optimizer> Rprop::expand() const {
  return Chain{{ScaleByRprop{.learning_rate = *learning_rate,
                             .eta_minus = eta_minus,
                             .eta_plus = eta_plus,
                             .min_step_size = min_step_size,
                             .max_step_size = max_step_size},
                Scale{-1.0}}};
}

Poly<Optimizer> OptimisticGradientDescent::expand() const {
  return Chain{{ScaleByOptimisticGradient{.alpha = alpha, .beta = beta}, rate_of(*this)}};
}

Poly<Optimizer> Adagrad::expand() const {
  return Chain{{ScaleByRss{.initial_accumulator_value = initial_accumulator_value, .eps = eps},
                rate_of(*this)}};
}

Poly<Optimizer> Adadelta::expand() const {
  return Chain{{AddDecayedWeights{.weight_decay = weight_decay, .mask = weight_decay_mask},
                ScaleByAdadelta{.rho = rho, .eps = eps}, rate_of(*this)}};
}

Poly<Optimizer> RmsProp::expand() const {
  Poly<Optimizer> scaling = ScaleByRms{.decay = decay,
                                       .eps = eps,
                                       .initial_scale = initial_scale,
                                       .eps_in_sqrt = eps_in_sqrt,
                                       .bias_correction = bias_correction};
  if (centered) {
    scaling = ScaleByStddev{.decay = decay,
                            .eps = eps,
                            .initial_scale = initial_scale,
                            .eps_in_sqrt = eps_in_sqrt,
                            .bias_correction = bias_correction};
  }
  return Chain{{scaling, rate_of(*this), trace_of(momentum, nesterov)}};
}

Poly<Optimizer> Sm3::expand() const {
  return Chain{{ScaleBySm3{.b1 = momentum}, Scale{-*learning_rate}}};
}

Poly<Optimizer> Adafactor::expand() const {
  Chain chain{{ScaleByFactoredRms{.factored = factored,
                                  .decay_rate = decay_rate,
                                  .step_offset = decay_offset,
                                  .min_dim_size_to_factor = min_dim_size_to_factor,
                                  .epsilon = eps}}};
  auto& parts = chain.transforms;
  if (clipping_threshold) parts.push_back(ClipByBlockRms{*clipping_threshold});
  if (!is_none(learning_rate)) {
    parts.push_back(ScaleByLearningRate{.learning_rate = learning_rate, .flip_sign = false});
  }
  if (multiply_by_parameter_scale) parts.push_back(ScaleByParamBlockRms{});
  if (momentum) {
    parts.push_back(Ema{.decay = *momentum, .debias = false, .accumulator_dtype = dtype_momentum});
  }
  if (weight_decay_rate) {
    parts.push_back(
        AddDecayedWeights{.weight_decay = *weight_decay_rate, .mask = weight_decay_mask});
  }
  parts.push_back(Scale{-1.0});
  return chain;
}

Poly<Optimizer> Lars::expand() const {
  return Chain{
      {AddDecayedWeights{.weight_decay = weight_decay, .mask = weight_decay_mask},
       Masked{.inner = ScaleByTrustRatio{.trust_coefficient = trust_coefficient, .eps = eps},
              .mask = trust_ratio_mask},
       rate_of(*this), Trace{.decay = momentum, .nesterov = nesterov}}};
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

Poly<Optimizer> Fromage::expand() const {
  if (is_schedule(*learning_rate)) return {};
  return fromage_at(*this, 0);
}

Tree Fromage::init(const Tree&) const {
  return Tree::list({empty_state(), Tree::record("ScaleByScheduleState", {{"count", counter()}}),
                     Tree::record("WeightDecaySchedule", {{"count", counter()}})});
}

Update Fromage::update(const Tree& grads, const Tree& state, const Tree& params) const {
  const std::int32_t count = count_of(field(state.child(1), "ScaleByScheduleState", "count"));
  const Tree states = Tree::list({empty_state(), empty_state(), empty_state()});
  Update next = update_inner(fromage_at(*this, count), grads, states, params);
  Tree counted = init(params);
  counted.child(1)["count"] = counter(after(count));
  counted.child(2)["count"] = counter(after(count));
  return {std::move(next.updates), std::move(counted)};
}

}  // namespace kd::optim
