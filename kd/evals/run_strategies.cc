// When and where evaluators run.
#include "kd/evals/evaluator.h"

namespace kd::evals {

Where where_of(const EveryNSteps&) { return Where::in_training; }
Where where_of(const Once&) { return Where::in_training; }
Where where_of(const Final&) { return Where::at_the_end; }
Where where_of(const StandaloneEveryCheckpoint&) { return Where::every_checkpoint; }
Where where_of(const StandaloneLastCheckpoint&) { return Where::last_checkpoint; }

bool is_due(const EveryNSteps& run, std::int64_t step) {
  if (*run.n < 1) {
    throw konfig::Error(konfig::ErrorKind::value, "n",
                        "expected a whole number above 0, got " + std::to_string(*run.n));
  }
  return step % *run.n == 0 && !(run.skip_first && step == 0);
}
bool is_due(const Once& run, std::int64_t step) { return step == *run.step; }
bool is_due(const Final&, std::int64_t) { return false; }
bool is_due(const StandaloneEveryCheckpoint&, std::int64_t) { return false; }
bool is_due(const StandaloneLastCheckpoint&, std::int64_t) { return false; }

}  // namespace kd::evals

KD_IMPLEMENT(kd::RunStrategy, kd::evals::EveryNSteps);
KD_IMPLEMENT(kd::RunStrategy, kd::evals::Once);
KD_IMPLEMENT(kd::RunStrategy, kd::evals::Final);
KD_IMPLEMENT(kd::RunStrategy, kd::evals::StandaloneEveryCheckpoint);
KD_IMPLEMENT(kd::RunStrategy, kd::evals::StandaloneLastCheckpoint);
