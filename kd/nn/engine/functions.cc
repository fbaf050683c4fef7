// Activations, softmax and friends.
#include "kd/nn/engine/functions.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/celu.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/elu.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/hardsigmoid.h>
#include <ATen/ops/log_sigmoid.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/mish.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/relu6.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/selu.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/softplus.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/where.h>

#include <limits>
#include <numeric>

#include "kd/nn/engine/gelu_impl.h"
#include "kd/nn/shapes_impl.h"

namespace kd::nn {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Functions of real numbers take integers too.
Tensor real(const Tensor& x) { return x.is_floating_point() ? x : x.to(at::kFloat); }

}  // namespace

Tensor identity(const Tensor& x) { return x; }
Tensor relu(const Tensor& x) { return at::relu(x); }
Tensor relu6(const Tensor& x) { return at::relu6(real(x)); }
Tensor gelu(const Tensor& x) { return detail::tanh_gelu(real(x)); }
Tensor gelu(const Tensor& x, bool approximate) {
  return approximate ? nn::gelu(x) : at::gelu(real(x));
}
Tensor silu(const Tensor& x) { return at::silu(real(x)); }
Tensor swish(const Tensor& x) { return nn::silu(x); }
Tensor mish(const Tensor& x) { return at::mish(real(x)); }
Tensor sigmoid(const Tensor& x) { return at::sigmoid(x); }
Tensor tanh(const Tensor& x) { return at::tanh(x); }
Tensor softplus(const Tensor& x) { return at::softplus(real(x)); }
Tensor squareplus(const Tensor& x) { return (x + (x * x + 4).sqrt()) / 2; }
Tensor soft_sign(const Tensor& x) { return x / (x.abs() + 1); }
Tensor log_sigmoid(const Tensor& x) { return at::log_sigmoid(real(x)); }
Tensor elu(const Tensor& x) { return nn::elu(x, 1.0); }
Tensor elu(const Tensor& x, double alpha) { return at::elu(real(x), alpha); }
Tensor celu(const Tensor& x) { return nn::celu(x, 1.0); }
Tensor celu(const Tensor& x, double alpha) { return at::celu(real(x), alpha); }
Tensor selu(const Tensor& x) { return at::selu(real(x)); }
Tensor leaky_relu(const Tensor& x) { return nn::leaky_relu(x, 0.01); }
// at::leaky_relu has the other slope at 0.
Tensor leaky_relu(const Tensor& x, double negative_slope) {
  return at::where(x >= 0, x, x * negative_slope);
}
// at::hardtanh, at::clamp and at::hardswish have other slopes at the corners.
Tensor hard_tanh(const Tensor& x) { return at::where(x > 1, 1, at::where(x < -1, -1, x)); }
Tensor hard_sigmoid(const Tensor& x) { return at::hardsigmoid(real(x)); }
Tensor hard_silu(const Tensor& x) { return x * hard_sigmoid(x); }
Tensor hard_swish(const Tensor& x) { return hard_silu(x); }

Tensor softmax(const Tensor& x, std::int64_t axis, const Tensor& where) {
  if (!where.defined()) return at::softmax(real(x), axis);
  Tensor y = at::softmax(at::where(where, real(x), -kInfinity), axis);
  return at::where(where, y, 0);
}

Tensor log_softmax(const Tensor& x, std::int64_t axis, const Tensor& where) {
  if (!where.defined()) return at::log_softmax(real(x), axis);
  return at::log_softmax(at::where(where, real(x), -kInfinity), axis);
}

Tensor logsumexp(const Tensor& x, std::optional<std::int64_t> axis, bool keepdims) {
  if (axis) return at::logsumexp(real(x), {*axis}, keepdims);
  std::vector<std::int64_t> all(static_cast<std::size_t>(x.dim()));
  std::iota(all.begin(), all.end(), 0);
  return at::logsumexp(real(x), all, keepdims);
}

Tensor glu(const Tensor& x, std::int64_t axis) {
  axis = detail::normalized(axis, x.dim(), "axis");
  std::int64_t size = x.size(axis);
  if (size % 2 != 0) {
    detail::fail("glu halves axis " + std::to_string(axis) +
                 ", which has an odd size: " + std::to_string(size));
  }
  return x.narrow(axis, 0, size / 2) * at::sigmoid(x.narrow(axis, size / 2, size / 2));
}

Tensor standardize(const Tensor& x, std::int64_t axis, double epsilon) {
  Tensor y = real(x);
  Tensor mean = y.mean({axis}, /*keepdim=*/true);
  Tensor variance = at::clamp((y * y).mean({axis}, /*keepdim=*/true) - mean * mean, 0);
  return (y - mean) * at::rsqrt(variance + epsilon);
}

Tensor one_hot(const Tensor& x, std::int64_t num_classes, DType dtype, std::int64_t axis) {
  axis = detail::normalized(axis, x.dim() + 1, "axis");
  std::vector<std::int64_t> shape(static_cast<std::size_t>(x.dim() + 1), 1);
  shape[static_cast<std::size_t>(axis)] = num_classes;
  Tensor classes = at::arange(num_classes, x.options()).view(shape);
  return (x.unsqueeze(axis) == classes).to(scalar_type(dtype));
}

Tensor flatten(const Tensor& x, std::int64_t start) {
  if (start == x.dim()) return x.unsqueeze(-1);
  return x.flatten(start);
}

}  // namespace kd::nn
