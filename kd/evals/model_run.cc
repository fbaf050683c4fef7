// The model over batches.
#include "kd/evals/model_run_impl.h"

#include <ATen/core/grad_mode.h>

#include "kd/ckpts/engine/init_transform.h"
#include "kd/losses/engine/loss.h"
#include "kd/train/engine/check.h"
#include "kd/train/within.h"
#include "konfig/error.h"

namespace kd::evals {

using konfig::Error;
using konfig::ErrorKind;
using train::AuxState;
using train::Context;
using train::TrainState;

namespace {

constexpr train::Returns kAll = {.losses = true, .metrics = true, .summaries = true};

data::Dataset open_dataset(const Evaluator& evaluator) {
  if (!*evaluator.ds) {
    throw Error(ErrorKind::required, "ds", "there is no data; set it, or cfg.eval_ds");
  }
  if (evaluator.num_batches && *evaluator.num_batches < 1) {
    throw Error(ErrorKind::value, "num_batches",
                "expected a whole number above 0, or None for all, got " +
                    std::to_string(*evaluator.num_batches));
  }
  data::Dataset out = train::within("ds", [&] { return data::open(*evaluator.ds); });
  if (!evaluator.num_batches && out.is_infinite()) {
    throw Error(ErrorKind::value, "num_batches",
                "None evaluates the whole dataset, but ds never ends; set num_batches, or "
                "ds.num_epochs=1");
  }
  train::within("ds", [&] { train::check_batch_fits(out.element_spec()); });
  if (evaluator.num_batches) out = out.take(*evaluator.num_batches);
  if (evaluator.cache) {
    if (!evaluator.num_batches) {
      throw Error(ErrorKind::value, "cache", "it needs num_batches: they stay in memory");
    }
    out = out.cache();
  }
  return out.device_put();
}

train::NamedStates group(const char* name, const Map<Poly<Metric>>& metrics,
                         const Context& context) {
  try {
    return train::states_of(metrics, context);
  } catch (const Error& e) {
    throw e.within(name);
  }
}

}  // namespace

void fail_no_batch() { throw Error(ErrorKind::value, "ds", "the dataset has no batch"); }

void ModelRun::on_batch(const TrainState& state, const Tree& batch, std::int64_t index,
                        const std::function<void(Context&)>& use) const {
  at::NoGradGuard no_grad;
  const Tree variables = train::variables_of(state.params, state.collections);
  Context context{.step = state.step, .batch = batch, .params = state.params};
  const train::Forward made = train::forward(
      model_, variables, context,
      {.rngs = eval_rngs(rng_streams_, index), .is_training = false, .capture = capture_});
  add_forward(context, made);
  if (!state.opt_state.is_none()) context.opt_state = state.opt_state;
  use(context);
}

void ModelRun::on_zeros(const TrainState& state, const Tree& element_spec,
                        const std::function<void(Context&)>& use) const {
  try {
    on_batch(state, train::mock_batch(element_spec, 1), 0, use);
  } catch (const std::exception&) {
    on_batch(state, train::mock_batch(element_spec), 0, use);
  }
}

Measuring::Measuring(const Evaluator& evaluator, const train::Trainer& trainer)
    : evaluator_(evaluator),
      aux_{*evaluator.losses, *evaluator.metrics, *evaluator.summaries},
      checks_(train::checks_of(trainer.checkify_error_categories)),
      dataset_(open_dataset(evaluator)),
      run_(*evaluator.model, trainer.rng_streams,
           checks_.nan || needs_root(aux_, kAll, "interms")) {
  if (evaluator_.model_method && *evaluator_.model_method != "__call__") {
    throw Error(ErrorKind::unsupported, "model_method",
                "a module has one method, __call__; wrap the model in one that calls '" +
                    *evaluator_.model_method + "'");
  }
}

TrainState Measuring::prepared(TrainState state) const {
  if (evaluator_.discard_opt) state.opt_state = Tree();
  if (!evaluator_.init_transform) return state;
  try {
    return train::from_tree(ckpts::transform(evaluator_.init_transform, to_tree(state)));
  } catch (const Error& e) {
    throw e.within("init_transform");
  }
}

AuxState Measuring::states(const TrainState& state, const Tree& batch, std::int64_t index) const {
  AuxState out;
  const train::Watch watch(checks_);
  run_.on_batch(state, batch, index, [&](Context& context) {
    auto bad =
        train::division_by_zero();  // of the model: metrics may divide by zero and drop the result
    out = states_in(context);
    if (!bad) bad = train::failed_check(checks_, context);
    if (bad) {
      throw Error(ErrorKind::value, *bad + ", which checkify_error_categories forbids");
    }
  });
  return out;
}

// A transform that needs what only training makes is left to the evaluation itself.
void Measuring::check(const TrainState& state) const {
  const Tree spec = train::within("ds", [&] { return dataset_.element_spec(); });
  run_.on_zeros(state, spec, [&](Context& context) { states_in(context); });
}

AuxState Measuring::states_in(Context& context) const {
  AuxState out;
  try {
    losses::LossesResult losses = losses::compute_losses(aux_.losses, context);
    out.loss_states = std::move(losses.states);
    context.loss_total = losses.total;
    context.loss_states = &*out.loss_states;
  } catch (const Error& e) {
    throw e.within("losses");
  }
  out.metric_states = group("metrics", aux_.metrics, context);
  context.metric_states = &*out.metric_states;
  out.summary_states = group("summaries", aux_.summaries, context);
  return out;
}

}  // namespace kd::evals
