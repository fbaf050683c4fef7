// When and where evaluators run.
#include "kd/evals/engine/evaluator.h"

namespace kd::evals {

bool EveryNSteps::should_eval_in_train(std::int64_t step) const {
  if (*n < 1) {
    throw konfig::Error(konfig::ErrorKind::value, "n",
                        "expected a whole number above 0, got " + std::to_string(*n));
  }
  return step % *n == 0 && !(skip_first && step == 0);
}

bool EveryEpoch::should_eval_in_epoch(const Place& place) const {
  if (every_it < 1 && every_it != -1) {
    throw konfig::Error(
        konfig::ErrorKind::value, "every_it",
        "expected a whole number above 0, or -1 for none, got " + std::to_string(every_it));
  }
  return place.step == 0 ? before_training : is_due_in_epoch(place, every_it);
}

bool Once::should_eval_in_train(std::int64_t at) const {
  if (*step < 0) {
    throw konfig::Error(konfig::ErrorKind::value, "step",
                        "expected a whole number of 0 or more, got " + std::to_string(*step));
  }
  return at == *step;
}

Where Final::where() const { return Where::at_the_end; }
Where StandaloneEveryCheckpoint::where() const { return Where::every_checkpoint; }
Where StandaloneLastCheckpoint::where() const { return Where::last_checkpoint; }

}  // namespace kd::evals
