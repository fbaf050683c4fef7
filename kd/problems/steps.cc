// The steps of the shipped problems.
#include "kd/problems/steps.h"

#include <ATen/ops/full.h>

#include <cmath>

#include "kd/core/ops.h"
#include "kd/optim/schedule.h"
#include "kd/train/engine/train_step.h"

namespace kd::problems {

using train::StepResult;
using train::StepRun;
using train::TrainState;

namespace {

// Sums since the start of the epoch, in the state of the run: a resumed one goes on with them.
class Means {
 public:
  static Tree zeros(std::initializer_list<const char*> names) {
    Tree out = Tree::dict();
    for (const char* name : names) out[name] = scalar(0);
    return out;
  }
  Means(Tree sums, const StepRun& run) : sums_(std::move(sums)) {
    if (run.place().it > 0) return;
    for (std::size_t i = 0; i < sums_.size(); ++i) sums_.child(i) = scalar(0);
  }
  void add(const char* name, double value) { sums_.at(name) = scalar(get(name) + value); }
  double get(const char* name) const { return sums_.at(name).tensor().item<double>(); }
  double mean(const char* name, const char* count) const { return get(name) / get(count); }
  Tree tree() const { return sums_; }

 private:
  static Tensor scalar(double value) { return at::full({}, value, at::kDouble); }
  Tree sums_;
};

std::int64_t rows_of(const Tree& batch) {
  const auto all = leaves(batch);
  return all.empty() || all[0].dim() == 0 ? 1 : all[0].size(0);
}

// The usual step with everything measured, and no values of its own to log.
struct Measured {
  StepResult result;
  train::AuxValues values;
  double find(const char* name) const { return values.find(name).value_or(0); }
};
Measured measured_step(StepRun& run, TrainState state, const Tree& batch,
                       const train::Returns& returns) {
  Measured out;
  out.result = run.usual_step(std::move(state), batch,
                              {.losses = true, .metrics = true, .summaries = returns.summaries});
  out.values = compute(out.result.aux);
  out.result.aux.loss_states.reset();
  out.result.aux.metric_states.reset();
  return out;
}

double epoch_of(const StepRun& run) { return static_cast<double>(run.place().epoch); }

}  // namespace

TrainState ClassificationStep::init(StepRun&, TrainState state) const {
  state.step_state = Means::zeros({"ce_loss", "reg_loss", "loss", "right", "steps", "samples"});
  return state;
}

StepResult ClassificationStep::step(StepRun& run, TrainState state, const Tree& batch,
                                    const train::Returns& returns) const {
  Means means(std::move(state.step_state), run);
  Measured now = measured_step(run, std::move(state), batch, returns);
  const auto rows = static_cast<double>(rows_of(batch));
  if (!now.result.skipped) {
    means.add("ce_loss", now.find("losses/ce_loss"));
    means.add("reg_loss", now.find("losses/reg_loss"));
    means.add("loss", now.result.loss);
    means.add("right", std::round(now.find("metrics/acc") * rows));
    means.add("steps", 1);
    means.add("samples", rows);
  }
  StepResult& out = now.result;
  out.state.step_state = means.tree();
  if (means.get("steps") == 0) return out;
  out.loss = means.mean("loss", "steps");
  out.aux.scalars = {{"ce_loss", means.mean("ce_loss", "steps")},
                     {"reg_loss", means.mean("reg_loss", "steps")},
                     {"loss", out.loss},
                     {"acc", means.mean("right", "samples")},
                     {"epoch", epoch_of(run)}};
  return out;
}

TrainState DistillationStep::init(StepRun&, TrainState state) const {
  state.step_state = Means::zeros({"loss", "steps"});
  return state;
}

StepResult DistillationStep::step(StepRun& run, TrainState state, const Tree& batch,
                                  const train::Returns& returns) const {
  Means means(std::move(state.step_state), run);
  Measured now = measured_step(run, std::move(state), batch, returns);
  StepResult& out = now.result;
  const double loss = out.loss;
  if (!out.skipped) {
    means.add("loss", loss);
    means.add("steps", 1);
  }
  out.state.step_state = means.tree();
  const auto& schedules = run.trainer().schedules;
  out.aux.scalars = {{"l2_loss", now.find("losses/l2_loss")},
                     {"reg_loss", now.find("losses/reg_loss")},
                     {"loss", loss},
                     {"steps", static_cast<double>(out.state.step)},
                     {"epoch", epoch_of(run)}};
  // As the reference logs it: that of the next step.
  if (auto* lr = schedules.find("lr")) out.aux.scalars.emplace_back("lr", (*lr)(out.state.step));
  if (means.get("steps") > 0) out.loss = means.mean("loss", "steps");
  return out;
}

}  // namespace kd::problems
