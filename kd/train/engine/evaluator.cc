// When evaluators of a training run.
#include "kd/train/engine/evaluator.h"

#include "konfig/error.h"

namespace kd::train {

bool should_eval(const Poly<RunStrategy>& run, const Place& place, bool in_epochs) {
  const RunStrategyOps& ops = ops_of(run);
  const void* self = run.object().get();
  if (!ops.in_epoch) return ops.in_training(self, place.step);
  if (in_epochs) return ops.in_epoch(self, place);
  throw konfig::Error(konfig::ErrorKind::value,
                      std::string(run.type()->name) +
                          " counts epochs, but the run counts steps; set cfg.epochs in place of "
                          "cfg.num_train_steps");
}

}  // namespace kd::train
