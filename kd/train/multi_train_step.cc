// The step of several optimizers, one for each loss. All losses see the same parameters and the
// same random numbers, so one forward serves all of them.
#include <ATen/core/grad_mode.h>

#include "kd/core/grad.h"
#include "kd/core/ops.h"
#include "kd/optim/combine.h"
#include "kd/optim/engine/transform.h"
#include "kd/train/engine/train_step.h"
#include "kd/train/within.h"
#include "konfig/error.h"
#include "konfig/suggest.h"

namespace kd::train {

using konfig::Error;
using konfig::ErrorKind;

namespace {

const optim::MultiOptimizer& multi_optimizer(const StepRun& run) {
  if (auto* multi = run.optimizer().get_if<optim::MultiOptimizer>()) return *multi;
  throw Error(ErrorKind::type, "optimizer",
              "MultiTrainStep needs a multi_optimizer, with an optimizer for each loss; it is " +
                  std::string(run.optimizer().type()->name));
}

const Poly<Loss>& loss_of(const Map<Poly<Loss>>& losses, const std::string& name) {
  if (auto* loss = losses.find(name)) return *loss;
  std::vector<std::string> names;
  for (auto& [known, loss] : losses) names.push_back(known);
  throw Error(ErrorKind::key, "optimizer." + name,
              "there is no loss of this name in train_losses" + konfig::did_you_mean(name, names));
}

Tree sum(const Tree& a, const Tree& b) {
  if (a.is_none()) return b;
  return zip_map(a, b, [](const Tensor& x, const Tensor& y) { return x + y; });
}

Tree plain(const Tree& tree) {
  return map(tree, [](const Tensor& tensor) { return tensor.detach(); });
}

}  // namespace

StepResult MultiTrainStep::step(StepRun& run, TrainState state, const Tree& batch,
                                const Returns& returns) const {
  const optim::MultiOptimizer& optimizers = multi_optimizer(run);
  const bool second_order = run.needs({}, "subgrads");
  const Tree variables = variables_of(tracked(state.params), state.collections);
  const Tree& params = variables["params"];
  Forward made = run.forward(state, variables, batch, returns);
  Context context{.step = state.step, .batch = batch, .params = params};
  add_forward(context, made);
  context.opt_state = state.opt_state;

  StepResult out;
  NamedStates loss_states;
  Tree subgrads = Tree::dict(), subupdates = Tree::dict(), next_states = Tree::dict();
  Tree grads, updates;
  Tensor total;
  for (auto& [name, optimizer] : optimizers.optimizers) {
    context.subgrads = subgrads;
    Map<Poly<Loss>> only;
    only[name] = loss_of(run.aux().losses, name);
    losses::LossesResult losses = run.add_losses(context, only);
    context.loss_states = &losses.states;
    const double loss = losses.total.item<double>();
    out.loss += loss;
    out.skipped = !run.check_loss(context, loss) || out.skipped;
    total = total.defined() ? total + losses.total.detach() : losses.total.detach();
    subgrads[name] =
        grad(losses.total, params, {.keep_graph = true, .differentiable = second_order});
    const Tree own = plain(subgrads[name]);
    const std::string place = "optimizer." + name;
    optim::Update update = within(place.c_str(), [&, &optimizer = optimizer, &name = name] {
      return optim::update(optimizer, own, state.opt_state.at(name), state.params);
    });
    at::NoGradGuard no_grad;
    grads = sum(grads, own);
    updates = sum(updates, update.updates);
    subupdates[name] = std::move(update.updates);
    next_states[name] = std::move(update.state);
    for (auto& entry : detached(losses.states)) loss_states.push_back(std::move(entry));
  }
  context.loss_states = &loss_states;
  context.loss_total = total;
  context.grads = grads;
  context.updates = updates;
  context.subgrads = subgrads;
  context.subupdates = subupdates;
  run.check_values(context);
  run.add_aux(out.aux, context, returns);
  if (!out.skipped) {
    state.params = optim::apply_updates(state.params, updates);
    for (std::size_t i = 0; i < next_states.size(); ++i) {
      state.opt_state[next_states.name(i)] = std::move(next_states.child(i));
    }
    state.collections = std::move(made.collections);
  }
  if (returns.losses || returns.metrics || returns.summaries) {
    out.aux.loss_states = std::move(loss_states);
  }
  state.step += 1;
  out.state = std::move(state);
  return out;
}

}  // namespace kd::train
