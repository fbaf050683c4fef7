// Position embeddings.
#include "kd/nn/layers/embeddings.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/meshgrid.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <numbers>

#include "kd/nn/engine/promote.h"
#include "kd/nn/engine/scope.h"
#include "kd/nn/layers/dense.h"
#include "kd/nn/module/invoke.h"
#include "kd/nn/shapes_impl.h"

namespace kd::nn {

namespace {

// 1 everywhere but at the axes, which are counted from the end.
Shape keep_axes(const Shape& shape, const std::vector<std::int64_t>& axes) {
  Shape out(shape.size(), 1);
  for (auto axis : axes) {
    auto at = static_cast<std::size_t>(
        detail::normalized(axis, static_cast<std::int64_t>(shape.size()), "axis"));
    out[at] = shape[at];
  }
  return out;
}

// Without leading ones, so that it fits any number of batch dimensions.
Shape without_leading_ones(Shape shape) {
  auto first = std::find_if(shape.begin(), shape.end(), [](auto size) { return size != 1; });
  return {first, shape.end()};
}

Shape embedding_shape(const Shape& shape, const Ints& axis) {
  auto axes = axis.list();
  if (axes.empty()) detail::fail("axis is empty, it needs at least one axis, such as -2");
  for (auto a : axes) {
    if (a >= 0) {
      detail::fail("axis " + std::to_string(a) +
                   " counts from the start; give it from the end, such as -2");
    }
    if (a == -1)
      detail::fail("axis holds -1, the features, which are always included: leave it out");
  }
  axes.push_back(-1);
  return without_leading_ones(keep_axes(shape, axes));
}

// n numbers from -pi to pi, rounded as the reference rounds them.
Tensor even_steps(std::int64_t n) {
  constexpr float kPi = std::numbers::pi_v<float>;
  if (n == 1) return at::zeros({1}) - kPi;
  Tensor step = at::arange(n, at::kFloat) / static_cast<double>(n - 1);
  Tensor out = (1 - step) * -kPi + step * kPi;
  out[n - 1] = kPi;
  return out;
}

// The place of each element, one coordinate per dimension that is not 1: shape + (coordinates).
Tensor places(const Shape& shape) {
  std::vector<Tensor> axes;
  for (auto size : shape) {
    if (size != 1) axes.push_back(even_steps(size));
  }
  if (axes.empty()) detail::fail("there is only one place, an embedding needs several");
  Shape grid = shape;
  grid.push_back(static_cast<std::int64_t>(axes.size()));
  return at::stack(at::meshgrid(axes, "ij"), -1).reshape(grid);
}

}  // namespace

Tensor convert_to_fourier_features(const Tensor& inputs, int basis_degree) {
  constexpr float kQuarterTurn = std::numbers::pi_v<float> / 2;
  std::vector<Tensor> waves;
  double frequency = 1;
  for (int i = 0; i < basis_degree; ++i, frequency *= 2) waves.push_back(inputs * frequency);
  Tensor x = at::cat(waves, -1);
  return at::sin(at::cat({x, x + kQuarterTurn}, -1));
}

Tensor LearnedEmbedding::call(const Shape& shape, const Ints& axis) const {
  return param(emb_name, embedding_shape(shape, axis), emb_init, scalar_type(dtype)).expand(shape);
}

Tensor FourierEmbedding::call(const Shape& shape, const Ints& axis) const {
  Shape place_shape = embedding_shape(shape, axis);
  place_shape.pop_back();
  Tensor waves = convert_to_fourier_features(places(place_shape), num_fourier_bases);
  return named("dense_pe", Dense{.features = static_cast<int>(shape.back())})(waves).expand(shape);
}

Tensor ZeroEmbedding::call(const Shape& shape, const std::optional<Ints>&) const {
  return at::zeros(shape, scalar_type(dtype));
}

Tensor AddEmbedding::call(const Tensor& inputs) const {
  return inputs + Tensor(emb(inputs.sizes().vec(), *axis));
}

Tensor AddLearnedEmbedding::call(const Tensor& inputs) const {
  Shape shape = without_leading_ones(keep_axes(inputs.sizes().vec(), axes.list()));
  return inputs + param("embeddings", shape, emb_init, inputs.scalar_type());
}

}  // namespace kd::nn
