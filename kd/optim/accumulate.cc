// Momentum, averages, decay and noise.
#include <cmath>

#include "kd/optim/check_impl.h"
#include "kd/optim/combine.h"
#include "kd/optim/engine/transform.h"
#include "kd/optim/math_impl.h"
#include "kd/optim/scale.h"
#include "kd/optim/transforms.h"
#include "kd/optim/zip_impl.h"
#include "konfig/error.h"

namespace kd::optim {

// ---- Scaling by a number.

Tree Scale::update(const Tree& grads) const {
  return zip([&](const Tensor& g) { return times(*step_size, g); }, grads);
}

namespace {

Tree schedule_state(std::int32_t count = 0) {
  return Tree::record("ScaleByScheduleState", {{"count", counter(count)}});
}

Update scale_by(const char* name, const Schedule& schedule, double sign, const Tree& grads,
                const Tree& state) {
  const std::int32_t count = count_of(field(state, "ScaleByScheduleState", "count"));
  const double value = sign * at_field(name, [&] { return value_at(schedule, count).value; });
  return {zip([&](const Tensor& g) { return times(value, g); }, grads),
          schedule_state(after(count))};
}

}  // namespace

Tree ScaleBySchedule::init(const Tree&) const { return schedule_state(); }

Update ScaleBySchedule::update(const Tree& grads, const Tree& state, const Tree&) const {
  return scale_by("step_size_fn", *step_size_fn, 1, grads, state);
}

Tree ScaleByLearningRate::init(const Tree&) const {
  return is_schedule(learning_rate) ? schedule_state() : empty_state();
}

Update ScaleByLearningRate::update(const Tree& grads, const Tree& state, const Tree&) const {
  if (is_none(learning_rate)) return {grads, state};
  const double sign = flip_sign ? -1 : 1;
  if (is_schedule(learning_rate)) {
    return scale_by("learning_rate", learning_rate, sign, grads, state);
  }
  const double rate = sign * std::get<double>(learning_rate);
  return {zip([&](const Tensor& g) { return times(rate, g); }, grads), state};
}

// ---- Momentum.

Tree Trace::init(const Tree& params) const {
  return Tree::record("TraceState", {{"trace", zeros_like(params, accumulator_dtype)}});
}

Update Trace::update(const Tree& grads, const Tree& state, const Tree&) const {
  auto add = [&](const Tensor& g, const Tensor& old) { return g + times(*decay, old); };
  Tree trace = zip(add, grads, field(state, "TraceState", "trace"));
  return {nesterov ? zip(add, grads, trace) : trace,
          Tree::record("TraceState", {{"trace", cast(trace, accumulator_dtype)}})};
}

Tree Ema::init(const Tree& params) const {
  return Tree::record("EmaState",
                      {{"count", counter()}, {"ema", zeros_like(params, accumulator_dtype)}});
}

Update Ema::update(const Tree& grads, const Tree& state, const Tree&) const {
  const std::int32_t count = after(count_of(field(state, "EmaState", "count")));
  Tree ema = next_moment(grads, state["ema"], *decay, 1);
  return {
      debias ? bias_corrected(ema, decay, count) : ema,
      Tree::record("EmaState", {{"count", counter(count)}, {"ema", cast(ema, accumulator_dtype)}})};
}

Tree ApplyEvery::init(const Tree& params) const {
  return Tree::record("ApplyEvery", {{"count", counter()}, {"grad_acc", zeros_like(params)}});
}

Update ApplyEvery::update(const Tree& grads, const Tree& state, const Tree&) const {
  if (k < 1) {
    throw konfig::Error(konfig::ErrorKind::value, "k",
                        "expected 1 or more, got " + std::to_string(k));
  }
  const std::int32_t count = count_of(field(state, "ApplyEvery", "count")) % k;
  Tree sum = count == 0 ? clone(grads)
                        : zip([](const Tensor& g, const Tensor& old) { return old + g; }, grads,
                              state["grad_acc"]);
  return {count == k - 1 ? sum : zeros_like(sum),
          Tree::record("ApplyEvery", {{"count", counter((count + 1) % k)}, {"grad_acc", sum}})};
}

// ---- Weight decay.

Poly<Optimizer> AddDecayedWeights::expand() const {
  if (mask.is_none()) return {};
  return Masked{.inner = AddDecayedWeights{.weight_decay = weight_decay}, .mask = mask};
}

Tree AddDecayedWeights::init(const Tree&) const {
  if (!is_schedule(weight_decay)) return empty_state();
  return Tree::record("WeightDecaySchedule", {{"count", counter()}});
}

Update AddDecayedWeights::update(const Tree& grads, const Tree& state, const Tree& params) const {
  need_params(params, "add_decayed_weights");
  std::int32_t count = 0;
  Tree next = state;
  if (is_schedule(weight_decay)) {
    count = count_of(field(state, "WeightDecaySchedule", "count"));
    next = Tree::record("WeightDecaySchedule", {{"count", counter(after(count))}});
  }
  const Number decay = at_field("weight_decay", [&] { return value_at(weight_decay, count); });
  if (decay.value == 0 && !is_schedule(weight_decay)) return {grads, std::move(next)};
  return {zip([&](const Tensor& g, const Tensor& p) { return g + times(decay, p); }, grads, params),
          std::move(next)};
}

}  // namespace kd::optim
