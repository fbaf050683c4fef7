// Evaluation in a job of its own: of the checkpoints of a run, while it trains or afterwards.
//
//   auto aux = evals::continuous_eval(*trainer, {"eval"}, {.quiet_seconds = 0});
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kd/evals/engine/evaluator.h"
#include "kd/train/engine/train.h"

namespace kd::evals {

struct ContinuousOptions {
  std::function<void(const train::Event& event)> on_event = {};
  std::function<bool()> should_stop = {};
  double quiet_seconds = 10;  // without news before it looks whether training is complete
};

// Evaluates each new checkpoint (of several at once the newest), until training is complete. With
// setup.eval_only the state that init_transform gives is evaluated instead. An evaluator that fails
// does not stop the others; what failed is thrown at the end. The result is each one's last state.
std::map<std::string, train::AuxState> continuous_eval(const train::Trainer& trainer,
                                                       const std::vector<std::string>& names,
                                                       const ContinuousOptions& options = {});

// Where an evaluator runs in this config. One that only evaluates has no training: there evaluators
// along the training see the state once, as StandaloneLastCheckpoint does.
Where where(const train::Trainer& trainer, const Poly<RunStrategy>& run);
bool has_own_job(Where where);  // not in the training

}  // namespace kd::evals
