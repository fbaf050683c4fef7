// Optimizers around another one: every few steps, only when finite, with slow weights, and with
// hyper-parameters that change.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kd/core/dtype.h"
#include "kd/core/interfaces.h"
#include "kd/optim/forward.h"
#include "konfig/callable.h"

namespace kd {

class SkipFn;  // tells from the gradients whether a step is left out

}  // namespace kd

namespace kd::optim {

// A whole number, or one that depends on the number of updates so far.
struct EveryK : std::variant<int, Poly<ScheduleFn>, konfig::Callable<int(int)>> {
  static constexpr std::string_view konfig_name = "a whole number, or a function of the step";
  using variant::variant;
};

// Collects gradients over k steps and optimizes with their mean; other steps change nothing.
struct MultiSteps {
  Required<Poly<Optimizer>> opt;             // works on the gradients of k steps together
  Required<EveryK> every_k_schedule;         // k
  bool use_grad_mean = true;                 // false: their sum
  Poly<SkipFn> should_skip_update_fn = {};   // None: no step is left out
  DType accumulator_dtype = DType::float32;  // of the collected gradients
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
};

// Leaves steps out that have NaN or infinite gradients.
struct SkipNotFinite {
  Skip operator()(const Tree& grads) const;
};

// Leaves steps out whose gradients are large.
struct SkipLargeUpdates {
  Required<double> max_squared_norm;  // of all gradients together; larger ones are left out
  Skip operator()(const Tree& grads) const;
};

// Ignores gradients that are not finite, unless there are too many in a row.
struct ApplyIfFinite {
  Required<Poly<Optimizer>> inner;  // what is applied
  // So many steps are left out in a row; the next one is applied.
  Required<int> max_consecutive_errors;
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
};

// Transforms at some steps; at the others updates pass unchanged.
struct ConditionallyTransform {
  Required<Poly<Optimizer>> inner;                            // what is applied at some steps
  Required<konfig::Callable<bool(int)>> should_transform_fn;  // of the step, from 0
  bool forward_extra_args = false;  // no effect here: there are no extra arguments
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
};

// Transforms at some steps; at the others updates are zero.
struct ConditionallyMask {
  Required<Poly<Optimizer>> inner;  // whose updates are applied or set to zero
  Required<konfig::Callable<bool(int)>> should_transform_fn;  // of the step, from 0
  bool forward_extra_args = false;  // no effect here: there are no extra arguments
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
};

// Fast weights, and slow ones that follow them now and then. Zhang et al., 2019. The parameters
// are a pair: see lookahead_params in kd/optim/engine/transform.h.
struct Lookahead {
  Required<Poly<Optimizer>> fast_optimizer;  // that of the fast weights
  Required<int> sync_period;                 // steps of the fast weights for one of the slow
  Required<double> slow_step_size;           // how far the slow weights go
  bool reset_state = false;                  // forgets the optimizer's state then
  void konfig_post_resolve(const konfig::ConfigDict& node);
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
};

// All leaves as one long vector, for optimizers that look at a leaf as a whole.
struct Flatten {
  Required<Poly<Optimizer>> inner;  // works on one vector of all parameters
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
};

// Keeps the numbers of an optimizer in its state, where they can be watched and changed.
//
//   InjectHyperparams{.inner_factory = Adam{.learning_rate = 1e-3}}
struct InjectHyperparams {
  Required<Poly<Optimizer>> inner_factory;     // with its hyper-parameters
  std::vector<std::string> static_args = {};   // numbers that stay outside
  std::optional<DType> hyperparam_dtype = {};  // None: the widest of the parameters
  Map<Poly<ScheduleFn>> schedules = {};        // schedules of fields that take only numbers
  Tree init(const Tree& params) const;
  Update update(const Tree& grads, const Tree& state, const Tree& params) const;
};

}  // namespace kd::optim

KONFIG_COMPONENT(kd::Optimizer, kd::optim::MultiSteps, "optax:MultiSteps");
KONFIG_COMPONENT(kd::SkipFn, kd::optim::SkipNotFinite, "optax:skip_not_finite");
KONFIG_COMPONENT(kd::SkipFn, kd::optim::SkipLargeUpdates, "optax:skip_large_updates");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::ApplyIfFinite, "optax:apply_if_finite");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::ConditionallyTransform, "optax:conditionally_transform");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::ConditionallyMask, "optax:conditionally_mask");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::Lookahead, "optax:lookahead");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::Flatten, "optax:flatten");
KONFIG_COMPONENT(kd::Optimizer, kd::optim::InjectHyperparams, "optax:inject_hyperparams",
                 "optax:inject_stateful_hyperparams");
