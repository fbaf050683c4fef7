// The usual evaluator: the model over a dataset, states merged over its batches.
#include "kd/evals/evaluator.h"

#include "kd/evals/model_run_impl.h"

namespace kd::evals {

namespace {

class UsualRun final : public EvaluatorRun {
 public:
  UsualRun(const Evaluator& evaluator, const train::Trainer& trainer)
      : measuring_(evaluator, trainer) {}

  Evaluation evaluate(train::TrainState state, std::int64_t) override {
    state = measuring_.prepared(std::move(state));
    std::optional<train::AuxState> out;
    std::int64_t i = 0;
    for (const Tree& batch : measuring_.dataset()) {
      train::AuxState one = measuring_.states(state, batch, i++);
      out = out ? merged(std::move(*out), one) : std::move(one);
      throw_if_stopped();
    }
    if (!out) fail_no_batch();
    return {.aux = std::move(*out)};
  }

  void check(const train::TrainState& state) override { measuring_.check(state); }

 private:
  Measuring measuring_;
};

}  // namespace

std::unique_ptr<EvaluatorRun> open_evaluator(const Evaluator& evaluator,
                                             const train::Trainer& trainer, const std::string&) {
  return std::make_unique<UsualRun>(evaluator, trainer);
}

}  // namespace kd::evals

KD_IMPLEMENT(kd::Evaluator, kd::evals::Evaluator);
