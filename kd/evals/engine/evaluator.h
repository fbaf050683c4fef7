// Evaluators at work, and what a file needs that defines one of its own: a struct with a field
// `run` and
//
//   std::unique_ptr<evals::EvaluatorRun> open(const train::Trainer& trainer,
//                                             const std::string& name) const;
//   KD_COMPONENT(kd::Evaluator, MyEvaluator);
//
// A run strategy of your own is a struct that says before which steps of the training it runs, or
// that it runs elsewhere:
//
//   bool should_eval_in_train(std::int64_t step) const;
//   evals::Where where() const;
//   KD_COMPONENT(kd::RunStrategy, MyStrategy);
//
// For runs with cfg.epochs it may have `should_eval_in_epoch`, which gets a Place, instead.
#pragma once

#include "kd/evals/evaluators.h"
#include "kd/train/engine/evaluator.h"

namespace kd::evals {

using train::Evaluation;
using train::Measured;
using train::should_eval_in_train;
using train::Stopped;
using train::where;

}  // namespace kd::evals
