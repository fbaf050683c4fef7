// Momentum, averages, decay and noise.
#include <cmath>

#include "kd/optim/combine.h"
#include "kd/optim/fuse_impl.h"
#include "kd/optim/math_impl.h"
#include "kd/optim/scale_more.h"
#include "kd/optim/transform.h"
#include "kd/optim/transforms.h"
#include "kd/optim/zip_impl.h"
#include "konfig/error.h"

namespace kd::optim {

// ---- Scaling by a number.

Tree transform(const Scale& t, const Tree& grads) {
  return zip([&](const Tensor& g) { return times(*t.step_size, g); }, grads);
}

namespace {

Tree schedule_state(std::int32_t count = 0) {
  return Tree::record("ScaleByScheduleState", {{"count", counter(count)}});
}

Update scale_by(const Schedule& schedule, double sign, const Tree& grads, const Tree& state) {
  const std::int32_t count = count_of(field(state, "ScaleByScheduleState", "count"));
  const double value = sign * value_at(schedule, count).value;
  return {zip([&](const Tensor& g) { return times(value, g); }, grads),
          schedule_state(after(count))};
}

}  // namespace

Tree init_state(const ScaleBySchedule&, const Tree&) { return schedule_state(); }

Update transform(const ScaleBySchedule& t, const Tree& grads, const Tree& state, const Tree&) {
  return scale_by(*t.step_size_fn, 1, grads, state);
}

Tree init_state(const ScaleByLearningRate& t, const Tree&) {
  return is_schedule(t.learning_rate) ? schedule_state() : empty_state();
}

Update transform(const ScaleByLearningRate& t, const Tree& grads, const Tree& state, const Tree&) {
  if (is_none(t.learning_rate)) return {grads, state};
  const double sign = t.flip_sign ? -1 : 1;
  if (is_schedule(t.learning_rate)) return scale_by(t.learning_rate, sign, grads, state);
  const double rate = sign * std::get<double>(t.learning_rate);
  return {zip([&](const Tensor& g) { return times(rate, g); }, grads), state};
}

// ---- Momentum.

Tree init_state(const Trace& t, const Tree& params) {
  return Tree::record("TraceState", {{"trace", zeros_like(params, t.accumulator_dtype)}});
}

Update transform(const Trace& t, const Tree& grads, const Tree& state, const Tree&) {
  auto add = [&](const Tensor& g, const Tensor& old) { return g + times(*t.decay, old); };
  Tree trace = zip(add, grads, field(state, "TraceState", "trace"));
  return {t.nesterov ? zip(add, grads, trace) : trace,
          Tree::record("TraceState", {{"trace", cast(trace, t.accumulator_dtype)}})};
}

Tree init_state(const Ema& t, const Tree& params) {
  return Tree::record("EmaState",
                      {{"count", counter()}, {"ema", zeros_like(params, t.accumulator_dtype)}});
}

Update transform(const Ema& t, const Tree& grads, const Tree& state, const Tree&) {
  const std::int32_t count = after(count_of(field(state, "EmaState", "count")));
  Tree ema = next_moment(grads, state["ema"], *t.decay, 1);
  return {t.debias ? bias_corrected(ema, t.decay, count) : ema,
          Tree::record("EmaState",
                       {{"count", counter(count)}, {"ema", cast(ema, t.accumulator_dtype)}})};
}

Tree init_state(const ApplyEvery&, const Tree& params) {
  return Tree::record("ApplyEvery", {{"count", counter()}, {"grad_acc", zeros_like(params)}});
}

Update transform(const ApplyEvery& t, const Tree& grads, const Tree& state, const Tree&) {
  if (t.k < 1) {
    throw konfig::Error(konfig::ErrorKind::value, "k",
                        "expected 1 or more, got " + std::to_string(t.k));
  }
  const std::int32_t count = count_of(field(state, "ApplyEvery", "count")) % t.k;
  Tree sum = count == 0 ? clone(grads)
                        : zip([](const Tensor& g, const Tensor& old) { return old + g; }, grads,
                              state["grad_acc"]);
  return {count == t.k - 1 ? sum : zeros_like(sum),
          Tree::record("ApplyEvery", {{"count", counter((count + 1) % t.k)}, {"grad_acc", sum}})};
}

// ---- Weight decay.

Poly<Optimizer> expand(const AddDecayedWeights& t) {
  if (t.mask.is_none()) return {};
  return Masked{.inner = AddDecayedWeights{.weight_decay = t.weight_decay}, .mask = t.mask};
}

Tree init_state(const AddDecayedWeights& t, const Tree&) {
  if (!is_schedule(t.weight_decay)) return empty_state();
  return Tree::record("WeightDecaySchedule", {{"count", counter()}});
}

Update transform(const AddDecayedWeights& t, const Tree& grads, const Tree& state,
                 const Tree& params) {
  need_params(params, "add_decayed_weights");
  std::int32_t count = 0;
  Tree next = state;
  if (is_schedule(t.weight_decay)) {
    count = count_of(field(state, "WeightDecaySchedule", "count"));
    next = Tree::record("WeightDecaySchedule", {{"count", counter(after(count))}});
  }
  const Number decay = value_at(t.weight_decay, count);
  if (decay.value == 0 && !is_schedule(t.weight_decay)) return {grads, std::move(next)};
  return {zip([&](const Tensor& g, const Tensor& p) { return g + times(decay, p); }, grads, params),
          std::move(next)};
}

}  // namespace kd::optim

KD_IMPLEMENT(kd::Optimizer, kd::optim::Scale);
KD_IMPLEMENT(kd::Optimizer, kd::optim::ScaleBySchedule);
KD_IMPLEMENT(kd::Optimizer, kd::optim::ScaleByLearningRate);
KD_IMPLEMENT(kd::Optimizer, kd::optim::Trace);
KD_IMPLEMENT(kd::Optimizer, kd::optim::Ema);
KD_IMPLEMENT(kd::Optimizer, kd::optim::ApplyEvery);
KD_IMPLEMENT(kd::Optimizer, kd::optim::AddDecayedWeights);
