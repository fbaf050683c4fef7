// The usual evaluator: the model over a dataset, states merged over its batches.
#include "kd/evals/engine/evaluator.h"

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

std::unique_ptr<EvaluatorRun> Evaluator::open(const train::Trainer& trainer,
                                              const std::string&) const {
  return std::make_unique<UsualRun>(*this, trainer);
}

Measured Evaluator::measured() const {
  Measured out;
  for (auto& [key, loss] : *losses) out.losses.push_back(key);
  for (auto& [key, metric] : *metrics) out.metrics.push_back(key);
  return out;
}

}  // namespace kd::evals
