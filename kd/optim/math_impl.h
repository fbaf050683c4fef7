// Arithmetic of the reference: which dtype a result has, where it is rounded, what is float32.
//
// A plain number is rounded to the dtype of the tensor it meets, as a Python number is in JAX. A
// computed one is float32 and makes float32 of half-precision tensors.
#pragma once

#include <cstdint>
#include <optional>

#include "kd/core/dtype.h"
#include "kd/core/tree.h"
#include "kd/optim/engine/root.h"
#include "kd/optim/schedule.h"

namespace kd::optim {

Tensor times(Number number, const Tensor& tensor);
Tensor plus(const Tensor& tensor, Number number);
Tensor divided(const Tensor& tensor, Number number);
// tensor / value, with the value in the tensor's dtype.
Tensor divided_by(const Tensor& tensor, float value);

// (1 - decay) * g**order + decay * moment
Tensor next_moment(const Tensor& g, const Tensor& moment, Number decay, int order);
Tree next_moment(const Tree& grads, const Tree& moments, Number decay, int order);

// 1 - decay**count, in float32.
float bias_correction(double decay, std::int32_t count);
Tree bias_corrected(const Tree& moments, double decay, std::int32_t count);

// The weight of the past in EmaParams.
Number ema_decay(double decay, bool debias, std::int32_t count);

// -1, 0, 1 or NaN.
Tensor sign_of(const Tensor& tensor);

// m / (sqrt(v + eps_root) + eps)
Tree over_root(const Tree& m, const Tree& v, double eps_root, double eps);
// Adam's look ahead: b1 * mu / (1 - b1**(t+1)) + (1 - b1) * g / (1 - b1**t)
Tree nesterov_moment(const Tree& mu, const Tree& grads, double b1, std::int32_t count);

Tree zeros_like(const Tree& tree, std::optional<DType> dtype = {});
Tree full_like(const Tree& tree, double value);
Tree cast(const Tree& tree, std::optional<DType> dtype);  // as it is without a dtype
Tree cast_like(const Tree& tree, const Tree& other);
Tree clone(const Tree& tree);

// ---- Counters: int32 scalars that stay at their largest value.

Tree counter(std::int32_t value = 0);
std::int32_t count_of(const Tree& counter);
std::int32_t after(std::int32_t count);

Tree flag(bool value);  // a bool scalar
bool flag_of(const Tree& flag);

// ---- States.

// The field of a state; an Error says that the state belongs to another optimizer.
const Tree& field(const Tree& state, std::string_view type, std::string_view name);
Tree empty_state();
// An Error when there are no parameters.
void need_params(const Tree& params, std::string_view transformation);

}  // namespace kd::optim
