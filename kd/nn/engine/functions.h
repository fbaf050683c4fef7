// Functions of tensors for models: activations, softmax and friends. Configs name them as the
// reference does, `flax.linen:relu` or `jax.nn:relu`.
#pragma once

#include <cstdint>
#include <optional>

#include "kd/core/dtype.h"
#include "kd/core/tensor.h"

namespace kd::nn {

// ---- Activations, element by element.

Tensor identity(const Tensor& x);
Tensor relu(const Tensor& x);   // max(x, 0)
Tensor relu6(const Tensor& x);  // min(max(x, 0), 6)
Tensor gelu(const Tensor& x);   // x * Phi(x), by its approximation with tanh
Tensor gelu(const Tensor& x, bool approximate);
Tensor silu(const Tensor& x);  // x * sigmoid(x), also called swish
Tensor swish(const Tensor& x);
Tensor mish(const Tensor& x);  // x * tanh(softplus(x))
Tensor sigmoid(const Tensor& x);
Tensor tanh(const Tensor& x);
Tensor softplus(const Tensor& x);    // log(1 + exp(x))
Tensor squareplus(const Tensor& x);  // (x + sqrt(x^2 + 4)) / 2
Tensor soft_sign(const Tensor& x);   // x / (|x| + 1)
Tensor log_sigmoid(const Tensor& x);
Tensor elu(const Tensor& x);  // x > 0 ? x : alpha * (exp(x) - 1)
Tensor elu(const Tensor& x, double alpha);
Tensor celu(const Tensor& x);  // max(x, 0) + min(0, alpha * (exp(x / alpha) - 1))
Tensor celu(const Tensor& x, double alpha);
Tensor selu(const Tensor& x);
Tensor leaky_relu(const Tensor& x);  // x >= 0 ? x : 0.01 * x
Tensor leaky_relu(const Tensor& x, double negative_slope);
Tensor hard_tanh(const Tensor& x);     // x, between -1 and 1
Tensor hard_sigmoid(const Tensor& x);  // relu6(x + 3) / 6
Tensor hard_silu(const Tensor& x);     // x * hard_sigmoid(x), also called hard_swish
Tensor hard_swish(const Tensor& x);

// ---- Along an axis.

// With `where`, other elements count as absent: 0 in softmax, -inf in log_softmax.
Tensor softmax(const Tensor& x, std::int64_t axis = -1, const Tensor& where = {});
Tensor log_softmax(const Tensor& x, std::int64_t axis = -1, const Tensor& where = {});
// Over all axes without one.
Tensor logsumexp(const Tensor& x, std::optional<std::int64_t> axis = {}, bool keepdims = false);
// The first half times the sigmoid of the second one.
Tensor glu(const Tensor& x, std::int64_t axis = -1);
// To mean 0 and variance 1.
Tensor standardize(const Tensor& x, std::int64_t axis = -1, double epsilon = 1e-5);

// ---- Shapes.

// A new axis with 1 at the place that x names, else 0; a number out of range gives zeros.
Tensor one_hot(const Tensor& x, std::int64_t num_classes, DType dtype = DType::float32,
               std::int64_t axis = -1);
// All dimensions from `start` on as one.
Tensor flatten(const Tensor& x, std::int64_t start = 1);

}  // namespace kd::nn
