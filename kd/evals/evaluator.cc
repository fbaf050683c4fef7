// The usual evaluator: the model over a dataset, states merged over its batches.
#include "kd/evals/evaluator.h"

#include <ATen/core/grad_mode.h>

#include "kd/checkpoints/init_transform.h"
#include "kd/data/dataset.h"
#include "kd/train/sum_losses.h"
#include "konfig/error.h"

namespace kd::evals {

using konfig::Error;
using konfig::ErrorKind;
using train::AuxState;
using train::Context;
using train::TrainState;

namespace {

class UsualRun final : public EvaluatorRun {
 public:
  UsualRun(const Evaluator& evaluator, const train::Trainer& trainer)
      : evaluator_(evaluator),
        rng_streams_(trainer.rng_streams),
        aux_{*evaluator.losses, *evaluator.metrics, *evaluator.summaries},
        dataset_(open_dataset()),
        capture_(needs_root(aux_, kAll, "interms")) {
    if (evaluator_.model_method && *evaluator_.model_method != "__call__") {
      throw Error(ErrorKind::unsupported, "model_method",
                  "a module has one method, __call__; wrap the model in one that calls '" +
                      *evaluator_.model_method + "'");
    }
  }

  AuxState evaluate(TrainState state) override {
    at::NoGradGuard no_grad;
    state = prepared(std::move(state));
    const Tree variables = train::variables_of(state.params, state.collections);
    std::optional<AuxState> out;
    std::int64_t i = 0;
    for (const Tree& batch : dataset_) {
      AuxState one = states_of_batch(state, variables, batch, i++);
      out = out ? merged(std::move(*out), one) : std::move(one);
    }
    if (!out) throw Error(ErrorKind::value, "ds", "the dataset has no batch");
    return std::move(*out);
  }

  // On one example; some models want a whole batch.
  void check(const TrainState& state) override {
    at::NoGradGuard no_grad;
    TrainState ready = state;
    // A transform that needs what only training makes is left to the evaluation itself.
    const Tree variables = train::variables_of(ready.params, ready.collections);
    const Tree spec = dataset_.element_spec();
    try {
      states_of_batch(ready, variables, train::mock_batch(spec, 1), 0);
    } catch (const std::exception&) {
      states_of_batch(ready, variables, train::mock_batch(spec), 0);
    }
  }

 private:
  static constexpr train::Returns kAll = {.losses = true, .metrics = true, .summaries = true};

  data::Dataset open_dataset() const {
    if (!*evaluator_.ds) {
      throw Error(ErrorKind::required, "ds", "there is no data; set it, or trainer.eval_ds");
    }
    data::Dataset out = data::open(*evaluator_.ds);
    if (evaluator_.num_batches) out = out.take(*evaluator_.num_batches);
    if (evaluator_.cache) {
      if (!evaluator_.num_batches) {
        throw Error(ErrorKind::value, "cache", "it needs num_batches: they stay in memory");
      }
      out = out.cache();
    }
    return out.device_put();
  }

  TrainState prepared(TrainState state) const {
    if (evaluator_.discard_opt) state.opt_state = Tree();
    if (!evaluator_.init_transform) return state;
    try {
      return train::from_tree(ckpts::transform(evaluator_.init_transform, to_tree(state)));
    } catch (const Error& e) {
      throw e.within("init_transform");
    }
  }

  AuxState states_of_batch(const TrainState& state, const Tree& variables, const Tree& batch,
                           std::int64_t index) const {
    Context context{.step = state.step, .batch = batch, .params = state.params};
    const train::Forward made = train::forward(
        *evaluator_.model, variables, context,
        {.rngs = eval_rngs(rng_streams_, index), .is_training = false, .capture = capture_});
    add_forward(context, made);
    if (!state.opt_state.is_none()) context.opt_state = state.opt_state;
    AuxState out;
    try {
      losses::LossesResult losses = train::sum_losses(aux_.losses, context);
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

  static train::NamedStates group(const char* name, const Map<Poly<Metric>>& metrics,
                                  const Context& context) {
    try {
      return train::states_of(metrics, context);
    } catch (const Error& e) {
      throw e.within(name);
    }
  }

  Evaluator evaluator_;
  train::RngStreams rng_streams_;
  train::Auxiliaries aux_;
  data::Dataset dataset_;
  bool capture_;
};

}  // namespace

std::unique_ptr<EvaluatorRun> open_evaluator(const Evaluator& evaluator,
                                             const train::Trainer& trainer, const std::string&) {
  return std::make_unique<UsualRun>(evaluator, trainer);
}

}  // namespace kd::evals

KD_IMPLEMENT(kd::Evaluator, kd::evals::Evaluator);
