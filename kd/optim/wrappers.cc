// Optimizers around another one.
#include "kd/optim/wrappers.h"

#include <ATen/ops/cat.h>

#include "kd/optim/engine/transform.h"
#include "kd/optim/math_impl.h"
#include "kd/optim/reduce_impl.h"
#include "kd/optim/zip_impl.h"
#include "konfig/error.h"

namespace kd::optim {

using konfig::Error;
using konfig::ErrorKind;

// ---- Only when finite.

namespace {

Tree finite_state(std::int32_t in_a_row, bool last, std::int32_t total, Tree inner) {
  return Tree::record("ApplyIfFiniteState", {{"notfinite_count", counter(in_a_row)},
                                             {"last_finite", flag(last)},
                                             {"total_notfinite", counter(total)},
                                             {"inner_state", std::move(inner)}});
}

}  // namespace

Tree ApplyIfFinite::init(const Tree& params) const {
  return finite_state(0, true, 0, init_inner(*inner, params));
}

Update ApplyIfFinite::update(const Tree& grads, const Tree& state, const Tree& params) const {
  const Tree& old = field(state, "ApplyIfFiniteState", "inner_state");
  const bool finite = all_finite(grads);
  const std::int32_t in_a_row = finite ? 0 : after(count_of(state["notfinite_count"]));
  const std::int32_t total = count_of(state["total_notfinite"]);
  Update next{zeros_like(grads), old};
  if (finite || in_a_row > max_consecutive_errors) {
    next = update_inner(*inner, grads, old, params);
  }
  return {std::move(next.updates),
          finite_state(in_a_row, finite, finite ? total : after(total), std::move(next.state))};
}

// ---- At some steps.

Tree ConditionallyTransform::init(const Tree& params) const {
  return Tree::record("ConditionallyTransformState",
                      {{"inner_state", init_inner(*inner, params)}, {"step", counter()}});
}

Update ConditionallyTransform::update(const Tree& grads, const Tree& state,
                                      const Tree& params) const {
  const char* type = "ConditionallyTransformState";
  const Tree& old = field(state, type, "inner_state");
  const std::int32_t step = count_of(state["step"]);
  Update next{grads, old};
  if ((*should_transform_fn)(step)) next = update_inner(*inner, grads, old, params);
  return {std::move(next.updates),
          Tree::record(type, {{"inner_state", next.state}, {"step", counter(after(step))}})};
}

Tree ConditionallyMask::init(const Tree& params) const {
  return Tree::record("ConditionallyMaskState",
                      {{"step", counter()}, {"inner_state", init_inner(*inner, params)}});
}

Update ConditionallyMask::update(const Tree& grads, const Tree& state, const Tree& params) const {
  const char* type = "ConditionallyMaskState";
  const Tree& old = field(state, type, "inner_state");
  const std::int32_t step = count_of(state["step"]);
  const bool on = (*should_transform_fn)(step);
  Update next = on ? update_inner(*inner, grads, old, params) : Update{zeros_like(grads), old};
  return {std::move(next.updates),
          Tree::record(type, {{"step", counter(after(step))}, {"inner_state", next.state}})};
}

// ---- Slow and fast weights.

namespace {

void check_period(const Lookahead& t) {
  if (t.sync_period >= 1) return;
  throw Error(ErrorKind::value, "sync_period",
              "expected 1 or more, got " + std::to_string(t.sync_period));
}

}  // namespace

Tree Lookahead::init(const Tree& params) const {
  check_period(*this);
  const Tree* fast = params.find("fast");
  return Tree::record("LookaheadState",
                      {{"fast_state", init_inner(*fast_optimizer, fast ? *fast : params)},
                       {"steps_since_sync", counter()}});
}

Update Lookahead::update(const Tree& grads, const Tree& state, const Tree& params) const {
  need_params(params, "lookahead");
  if (params.type() != "LookaheadParams") {
    throw Error(ErrorKind::type, "lookahead optimizes a pair of parameters, fast and slow, found " +
                                     std::string(params.type()) +
                                     "; make the pair with optim::lookahead_params(params)");
  }
  check_period(*this);
  const Tree &fast = params["fast"], &slow = params["slow"];
  const std::int32_t steps = count_of(field(state, "LookaheadState", "steps_since_sync"));
  Update next = update_inner(*fast_optimizer, grads, state["fast_state"], fast);
  Tree slow_updates = zeros_like(slow);
  if (steps == sync_period - 1) {
    Tree way = zip([](const Tensor& f, const Tensor& u, const Tensor& s) { return f + u - s; },
                   fast, next.updates, slow);
    slow_updates = zip([&](const Tensor& w) { return times(*slow_step_size, w); }, way);
    next.updates =
        zip([&](const Tensor& u, const Tensor& w) { return u - times(1 - slow_step_size, w); },
            next.updates, way);
    if (reset_state) next.state = init_inner(*fast_optimizer, fast);
  }
  return {
      Tree::record("LookaheadParams", {{"fast", next.updates}, {"slow", slow_updates}}),
      Tree::record("LookaheadState", {{"fast_state", next.state},
                                      {"steps_since_sync", counter((steps + 1) % sync_period)}})};
}

// ---- One long vector.

namespace {

Tree flattened(const Tree& tree) {
  std::vector<Tensor> parts;
  each(tree, [&](const Tensor& leaf) { parts.push_back(leaf.flatten()); });
  return parts.empty() ? tree : Tree(at::cat(parts));
}

Tree cut_like(const Tree& like, const Tree& flat) {
  std::int64_t begin = 0;
  return zip(
      [&](const Tensor& leaf) {
        Tensor part = flat.tensor().slice(0, begin, begin + leaf.numel()).view(leaf.sizes());
        begin += leaf.numel();
        return part;
      },
      like);
}

}  // namespace

Tree Flatten::init(const Tree& params) const { return init_inner(*inner, flattened(params)); }

Update Flatten::update(const Tree& grads, const Tree& state, const Tree& params) const {
  Update next =
      update_inner(*inner, flattened(grads), state, params.is_none() ? params : flattened(params));
  return {cut_like(grads, next.updates), std::move(next.state)};
}

}  // namespace kd::optim
