// Whether the metric that chooses the best checkpoints is measured when they are saved. A mistake
// would otherwise show once the first one has to go, hours later.
#include <algorithm>
#include <limits>

#include "base/join.h"
#include "kd/ckpts/engine/store.h"
#include "kd/train/engine/check.h"
#include "kd/train/engine/evaluator.h"
#include "kd/train/trainer.h"
#include "konfig/error.h"
#include "konfig/suggest.h"

namespace kd::train {

using konfig::Error;
using konfig::ErrorKind;

namespace {

constexpr const char* kField = "checkpointer.best_metric_path";

[[noreturn]] void fail(const std::string& text) { throw Error(ErrorKind::value, kField, text); }

template <class T>
std::vector<std::string> names_of(const Map<T>& map) {
  std::vector<std::string> out;
  for (auto& [name, value] : map) out.push_back(name);
  return out;
}

// Takes the next part off a path.
std::string next_part(std::string& path) {
  const auto end = std::min(path.find_first_of(".["), path.size());
  std::string out = path.substr(0, end);
  path.erase(0, end + (end < path.size() && path[end] == '.' ? 1 : 0));
  return out;
}

void check_name(const std::string& name, const std::string& what,
                const std::vector<std::string>& known) {
  if (std::ranges::find(known, name) != known.end()) return;
  fail("there is no " + what + " '" + name + "'" + konfig::did_you_mean(name, known) +
       " (there are: " + (known.empty() ? "none" : base::join(known, ", ")) + ")");
}

// `path` is that of a metric, or "losses.recon", behind the name of who measures it.
void check_measured(const Measured& measured, const std::string& by, std::string path) {
  std::vector<std::string> known = measured.metrics;
  if (!measured.losses.empty()) known.emplace_back("losses");
  const std::string metric = next_part(path);
  check_name(metric, "metric of " + by, known);
  if (metric != "losses") return;
  std::vector<std::string> losses = measured.losses;
  losses.emplace_back("total");
  check_name(next_part(path), "loss of " + by, losses);
}

}  // namespace

void check_best_metric(const Trainer& trainer) {
  constexpr int kNever = std::numeric_limits<int>::max();
  const int stop = trainer.stop_after_steps.value_or(kNever);
  const auto best = ckpts::best_metric(
      trainer.checkpointer, std::min(trainer.num_train_steps.value_or(kNever), stop - 1));
  if (!best) return;
  std::string rest = best->path;
  const std::string name = next_part(rest);
  if (name == "train") {  // measured with the step before
    return check_measured(
        {.losses = names_of(trainer.train_losses), .metrics = names_of(trainer.train_metrics)},
        "the training", rest);
  }
  check_name(name, "evaluator", names_of(trainer.evals));
  const Poly<Evaluator>& evaluator = trainer.evals.at(name);
  const auto& ops = ops_of(evaluator);
  const void* self = evaluator.object().get();
  if (auto measured = ops.measured(self)) check_measured(*measured, "evals." + name, rest);
  const auto run = ops.run(self);
  for (std::int64_t step : best->steps) {
    if (should_eval_in_train(run, step)) continue;
    fail("evals." + name + " does not run at step " + std::to_string(step) +
         ", which is saved; it has to run at every such step");
  }
}

}  // namespace kd::train
