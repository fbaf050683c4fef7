// The usual step.
#include "kd/train/engine/train_step.h"

#include <ATen/core/grad_mode.h>

#include <cmath>

#include "kd/ckpts/engine/init_transform.h"
#include "kd/core/grad.h"
#include "kd/optim/combine.h"
#include "kd/optim/engine/transform.h"
#include "kd/train/engine/check.h"
#include "kd/train/engine/checkify.h"
#include "kd/train/within.h"
#include "konfig/error.h"

namespace kd::train {

using konfig::Error;
using konfig::ErrorKind;

BadLoss::BadLoss(std::int64_t step, const std::string& message)
    : Error(ErrorKind::value, message), step_(step) {}

StepRun::StepRun(const Trainer& trainer)
    : trainer_(trainer),
      aux_{trainer.train_losses, trainer.train_metrics, trainer.train_summaries},
      checks_(std::make_shared<Checks>(checks_of(trainer.checkify_error_categories))) {
  if (trainer_.trainstep) {
    const auto& ops = ops_of(trainer_.trainstep);
    if (auto own = ops.optimizer(trainer_.trainstep.object().get())) trainer_.optimizer = own;
  }
  if (trainer_.optimizer && !trainer_.optimizer.holds<optim::MultiOptimizer>()) {
    stepper_ = std::make_unique<optim::Stepper>(trainer_.optimizer);
  }
}

const Poly<Optimizer>& StepRun::optimizer() const {
  if (trainer_.optimizer) return trainer_.optimizer;
  throw Error(ErrorKind::required, "optimizer",
              "not set, but training needs one; for example "
              "--cfg.optimizer='py::optax.adam(learning_rate=1e-3)'");
}

TrainState StepRun::init(const InitOptions& options) {
  at::NoGradGuard no_grad;
  const Tree spec =
      options.element_spec ? *options.element_spec : open_train_data(trainer_).element_spec;
  const Tree batch = mock_batch(spec);
  Context context{.batch = batch};
  Tree variables = Tree::dict();
  if (trainer_.model || !makes_state()) {
    variables = first_forward(trainer_.model, context, init_rngs(trainer_.rng_streams)).collections;
  }
  TrainState state;
  state.params = variables.contains("params") ? std::move(variables["params"]) : Tree::dict();
  variables.erase("params");
  state.collections = std::move(variables);
  if (makes_state()) {
    const void* self = trainer_.trainstep.object().get();
    state = ops_of(trainer_.trainstep).init(self, *this, std::move(state));
  }
  if (!options.skip_transforms) {
    state = within("init_transform", [&] {
      return from_tree(ckpts::transform(trainer_.init_transform, to_tree(state)));
    });
    if (options.on_state) state = options.on_state(std::move(state));
  }
  if (trainer_.optimizer && !options.skip_optimizer) {
    state.opt_state =
        within("optimizer", [&] { return optim::init(trainer_.optimizer, state.params); });
  }
  if (!options.skip_transforms) {
    state = within("init_transform", [&] {
      return from_tree(ckpts::transform_after_optimizer(trainer_.init_transform, to_tree(state)));
    });
  }
  return state;
}

bool StepRun::makes_state() const { return trainer_.trainstep && ops_of(trainer_.trainstep).init; }

bool StepRun::needs(const Returns& returns, std::string_view root) const {
  std::string key(root);
  key += returns.metrics ? "+m" : "";
  key += returns.summaries ? "+s" : "";
  auto it = needed_.find(key);
  if (it == needed_.end()) it = needed_.emplace(key, needs_root(aux_, returns, root)).first;
  return it->second;
}

Forward StepRun::forward(const TrainState& state, const Tree& variables, const Tree& batch,
                         const Returns& returns) const {
  Context context{.step = state.step, .batch = batch};
  return train::forward(trainer_.model, variables, context,
                        {.rngs = train_rngs(trainer_.rng_streams, state.step),
                         .is_training = true,
                         .capture = checks_->nan || needs(returns, "interms")});
}

losses::LossesResult StepRun::add_losses(Context& context, const Map<Poly<Loss>>& losses) const {
  losses::LossesResult result =
      within("train_losses", [&] { return losses::compute_losses(losses, context); });
  context.loss_total = result.total;
  return result;
}

void StepRun::add_aux(AuxState& aux, Context& context, const Returns& returns) const {
  at::NoGradGuard no_grad;
  auto add = [&](const char* name, const Map<Poly<Metric>>& group) {
    return within(name, [&] { return states_of(group, context); });
  };
  if (returns.metrics) {
    aux.metric_states = add("train_metrics", aux_.metrics);
    context.metric_states = &*aux.metric_states;
  }
  if (returns.summaries) {
    aux.summary_states = add("train_summaries", aux_.summaries);
    context.summary_states = &*aux.summary_states;
  }
}

bool StepRun::check_loss(const Context& context, double loss) const {
  if (std::isfinite(loss) || trainer_.on_bad_loss == OnBadLoss::ignore) return true;
  if (trainer_.on_bad_loss == OnBadLoss::skip) return false;
  throw BadLoss(context.step, "step " + std::to_string(context.step) + ": the loss is " +
                                  (std::isnan(loss) ? "NaN" : "infinite") +
                                  "; the first such value is " + first_bad_value(context) +
                                  ". A smaller learning rate or clipping may avoid it" +
                                  std::string(kSkipAdvice));
}

void StepRun::check_values(const Context& context) const {
  auto found = failed_check(*checks_, context);
  if (!found) found = division_by_zero();
  if (!found) return;
  throw BadLoss(context.step, "step " + std::to_string(context.step) + ": " + *found +
                                  ", which checkify_error_categories forbids");
}

StepResult StepRun::usual_step(TrainState state, const Tree& batch, const Returns& returns) {
  const Tree variables = variables_of(tracked(state.params), state.collections);
  const Tree& params = variables["params"];
  Forward made = forward(state, variables, batch, returns);
  Context context{.step = state.step, .batch = batch, .params = params};
  add_forward(context, made);
  context.opt_state = state.opt_state;
  losses::LossesResult losses = add_losses(context, aux_.losses);
  context.loss_states = &losses.states;

  StepResult out;
  out.loss = losses.total.item<double>();
  out.skipped = !check_loss(context, out.loss);
  const Tree grads = grad(losses.total, params);
  context.grads = grads;
  check_values(context);
  const NamedStates loss_states = detached(losses.states);
  context.loss_states = &loss_states;

  if (out.skipped) {
    add_aux(out.aux, context, returns);
  } else if (needs(returns, "updates")) {
    const Poly<Optimizer>& used = optimizer();
    optim::Update update = within(
        "optimizer", [&] { return optim::update(used, grads, state.opt_state, state.params); });
    context.updates = update.updates;
    check_values(context);
    add_aux(out.aux, context, returns);
    state.params = optim::apply_updates(state.params, update.updates);
    state.opt_state = std::move(update.state);
  } else {
    // Before the update, which overwrites what metrics look at.
    add_aux(out.aux, context, returns);
    optimizer();
    if (!stepper_)
      throw Error(ErrorKind::type, "optimizer", "a multi_optimizer needs trainstep=MultiTrainStep");
    within("optimizer", [&] { stepper_->step(state.params, grads, state.opt_state); });
  }
  if (!out.skipped) state.collections = std::move(made.collections);
  if (returns.losses || returns.metrics || returns.summaries) out.aux.loss_states = loss_states;
  state.step += 1;
  out.state = std::move(state);
  return out;
}

StepResult StepRun::step(TrainState state, const Tree& batch, const Returns& returns) {
  const Watch watch(*checks_);
  if (!trainer_.trainstep) return usual_step(std::move(state), batch, returns);
  return ops_of(trainer_.trainstep)
      .step(trainer_.trainstep.object().get(), *this, std::move(state), batch, returns);
}

NamedStates detached(const NamedStates& states) {
  NamedStates out;
  for (auto& [name, state] : states) out.emplace_back(name, state.finalize());
  return out;
}

TrainState init_state(const Trainer& trainer, const InitOptions& options) {
  return StepRun(trainer).init(options);
}

StepResult TrainStep::step(StepRun& run, TrainState state, const Tree& batch,
                           const Returns& returns) const {
  return run.usual_step(std::move(state), batch, returns);
}

StepResult NoopTrainStep::step(StepRun&, TrainState state, const Tree&, const Returns&) const {
  return {.state = std::move(state)};
}

}  // namespace kd::train
