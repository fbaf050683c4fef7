// The draws of initializers.
#include "kd/nn/initializers/initializers.h"

#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/zeros.h>

#include "base/shape_text.h"
#include "kd/nn/engine/initializer.h"
#include "kd/nn/shapes_impl.h"
#include "kd/random/sample.h"

namespace kd::nn::initializers {

using detail::fail;

namespace {

// Factors are rounded to the parameter's type before they are used.
Tensor rounded(double value, at::ScalarType dtype) { return at::scalar_tensor(value, dtype); }

}  // namespace

Tensor Zeros::make(const random::Key&, Shape shape, at::ScalarType type) const {
  return at::zeros(shape, type);
}

Tensor Ones::make(const random::Key&, Shape shape, at::ScalarType type) const {
  return at::ones(shape, type);
}

Tensor Constant::make(const random::Key&, Shape shape, at::ScalarType type) const {
  return at::full(shape, *value, type);
}

Tensor Normal::make(const random::Key& key, Shape shape, at::ScalarType type) const {
  return random::normal(key, shape, type).mul_(rounded(stddev, type));
}

Tensor Uniform::make(const random::Key& key, Shape shape, at::ScalarType type) const {
  return random::uniform(key, shape, 0, 1, type).mul_(rounded(scale, type));
}

Tensor TruncatedNormal::make(const random::Key& key, Shape shape, at::ScalarType type) const {
  return random::truncated_normal(key, shape, lower, upper, type).mul_(rounded(stddev, type));
}

Tensor Orthogonal::make(const random::Key& key, Shape shape, at::ScalarType type) const {
  auto rank = static_cast<std::int64_t>(shape.size());
  if (rank < 2) fail("Orthogonal makes no parameter of shape " + base::tuple_text(shape));
  std::int64_t axis = detail::normalized(column_axis, rank, "column_axis");
  std::int64_t columns = shape[static_cast<std::size_t>(axis)];
  std::vector<std::int64_t> rows = shape.vec();
  rows.erase(rows.begin() + axis);
  Tensor q = random::orthogonal(key, detail::product(rows), columns, {}, type);
  rows.push_back(columns);
  return (q.reshape(rows).movedim(-1, axis) * rounded(scale, type)).contiguous();
}

Tensor DeltaOrthogonal::make(const random::Key& key, Shape shape, at::ScalarType type) const {
  auto rank = shape.size();
  if (rank < 3 || rank > 5) {
    fail("DeltaOrthogonal makes kernels of 3 to 5 dimensions, not " + base::tuple_text(shape));
  }
  if (shape[rank - 1] < shape[rank - 2]) {
    fail("DeltaOrthogonal needs as many outputs as inputs at least; the kernel is " +
         base::tuple_text(shape));
  }
  Orthogonal orthogonal{.scale = scale, .column_axis = column_axis};
  Tensor matrix = orthogonal.make(key, shape.slice(rank - 2), type);
  Tensor out = at::zeros(shape, type), centre = out;
  for (std::size_t i = 0; i + 2 < rank; ++i) centre = centre.select(0, (shape[i] - 1) / 2);
  centre.copy_(matrix);
  return out;
}

}  // namespace kd::nn::initializers
