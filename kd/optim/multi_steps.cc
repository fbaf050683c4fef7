// Gradients collected over several steps.
#include <cmath>

#include "kd/optim/check_impl.h"
#include "kd/optim/engine/skip.h"
#include "kd/optim/engine/transform.h"
#include "kd/optim/math_impl.h"
#include "kd/optim/reduce_impl.h"
#include "kd/optim/wrappers.h"
#include "kd/optim/zip_impl.h"
#include "konfig/error.h"

namespace kd::optim {

using konfig::Error;
using konfig::ErrorKind;

// ---- Which steps are left out.

Skip SkipNotFinite::operator()(const Tree& grads) const {
  const std::int32_t count = count_not_finite(grads);
  return {count > 0,
          Tree::dict({{"should_skip", flag(count > 0)}, {"num_not_finite", counter(count)}})};
}

Skip SkipLargeUpdates::operator()(const Tree& grads) const {
  Tensor square = global_sum_of_squares(grads);
  const bool large = !(square.item<double>() < max_squared_norm);
  return {large, Tree::dict({{"should_skip", flag(large)}, {"norm_squared", square}})};
}

namespace {

Skip should_skip(const MultiSteps& t, const Tree& grads) {
  if (!t.should_skip_update_fn) return {false, Tree::list()};
  return ops_of(t.should_skip_update_fn).skip(t.should_skip_update_fn.object().get(), grads);
}

std::int32_t steps_at(const EveryK& every_k, std::int32_t gradient_step) {
  double k = 0;
  if (auto* number = std::get_if<int>(&every_k)) {
    k = *number;
  } else if (auto* function = std::get_if<konfig::Callable<int(int)>>(&every_k)) {
    k = (*function)(gradient_step);
  } else {
    k = std::get<Poly<ScheduleFn>>(every_k)(gradient_step);
  }
  if (k >= 1 && k == std::floor(k)) return static_cast<std::int32_t>(k);
  throw Error(ErrorKind::value, "every_k_schedule",
              "expected a whole number of 1 or more at update " + std::to_string(gradient_step) +
                  ", got " + std::to_string(k));
}

Tree make_state(std::int32_t mini_step, std::int32_t gradient_step, Tree inner, Tree grads,
                Tree skip_state) {
  return Tree::record("MultiStepsState", {{"mini_step", counter(mini_step)},
                                          {"gradient_step", counter(gradient_step)},
                                          {"inner_opt_state", std::move(inner)},
                                          {"acc_grads", std::move(grads)},
                                          {"skip_state", std::move(skip_state)}});
}

}  // namespace

Tree MultiSteps::init(const Tree& params) const {
  steps_at(*every_k_schedule, 0);
  Tree inner = at_field("opt", [&] { return init_inner(*opt, params); });
  return make_state(0, 0, std::move(inner), zeros_like(params, accumulator_dtype),
                    should_skip(*this, zeros_like(params)).state);
}

Update MultiSteps::update(const Tree& grads, const Tree& state, const Tree& params) const {
  const std::int32_t mini = count_of(field(state, "MultiStepsState", "mini_step"));
  const std::int32_t updates_so_far = count_of(state["gradient_step"]);
  Skip skipped = should_skip(*this, grads);
  if (skipped.skip) {
    return {zeros_like(grads), make_state(mini, updates_so_far, state["inner_opt_state"],
                                          state["acc_grads"], std::move(skipped.state))};
  }
  Tree collected = zip(
      [&](const Tensor& g, const Tensor& acc) {
        return use_grad_mean ? acc + divided(g - acc, static_cast<double>(mini) + 1) : g + acc;
      },
      grads, state["acc_grads"]);
  const std::int32_t k = steps_at(*every_k_schedule, updates_so_far);
  const std::int32_t next = after(mini) % k;
  if (mini != k - 1) {
    return {zeros_like(grads),
            make_state(next, updates_so_far, state["inner_opt_state"],
                       cast(collected, accumulator_dtype), std::move(skipped.state))};
  }
  Update inner = at_field("opt", [&] {
    return update_inner(*opt, cast_like(collected, grads), state["inner_opt_state"], params);
  });
  return {std::move(inner.updates),
          make_state(next, after(updates_so_far), std::move(inner.state),
                     zeros_like(collected, accumulator_dtype), std::move(skipped.state))};
}

}  // namespace kd::optim
