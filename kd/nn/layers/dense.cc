// Linear layers.
#include "kd/nn/layers/dense.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/mm.h>

#include <algorithm>
#include <numeric>

#include "base/shape_text.h"
#include "kd/nn/engine/initializer.h"
#include "kd/nn/engine/promote.h"
#include "kd/nn/engine/scope.h"
#include "kd/nn/module/invoke.h"
#include "kd/nn/shapes_impl.h"

namespace kd::nn {

namespace {

using detail::fail;
using detail::product;
using Dims = std::vector<std::int64_t>;

// x @ kernel + bias over the last dimension; the kernel is a matrix, the bias a vector.
Tensor multiply(const Tensor& x, const Tensor& kernel, const Tensor& bias) {
  Dims shape = x.sizes().vec();
  shape.pop_back();
  Tensor rows = x.dim() == 2 ? x : x.reshape({product(shape), x.size(-1)});
  Tensor out = bias.defined() ? at::addmm(bias, rows, kernel) : at::mm(rows, kernel);
  if (x.dim() == 2) return out;
  shape.push_back(kernel.size(1));
  return out.view(shape);
}

// How DenseGeneral sees the dimensions of its input, each list sorted.
struct Axes {
  Dims batch, free, summed;
  Dims features;
};

Axes axes_of(const DenseGeneral& layer, const Tensor& x) {
  Axes axes{.summed = detail::normalized(layer.axis, x.dim(), "axis"),
            .features = layer.features->list()};
  axes.batch = detail::normalized(layer.batch_dims, x.dim(), "batch_dims");
  for (std::size_t i = 0; i < axes.batch.size(); ++i) {
    if (axes.batch[i] != static_cast<std::int64_t>(i)) {
      fail("batch_dims " + base::tuple_text(layer.batch_dims.list()) +
           " must be the leading dimensions, from 0 on");
    }
  }
  auto used = [](const Dims& dims, std::int64_t d) {
    return std::find(dims.begin(), dims.end(), d) != dims.end();
  };
  for (std::int64_t d : axes.batch) {
    if (used(axes.summed, d)) fail("dimension " + std::to_string(d) + " is in axis and batch_dims");
  }
  for (std::int64_t d = 0; d < x.dim(); ++d) {
    if (!used(axes.batch, d) && !used(axes.summed, d)) axes.free.push_back(d);
  }
  return axes;
}

Dims sizes_at(const Tensor& x, const Dims& dims) {
  Dims out;
  for (auto d : dims) out.push_back(x.size(d));
  return out;
}

Dims joined(std::initializer_list<const Dims*> parts) {
  Dims out;
  for (const Dims* part : parts) out.insert(out.end(), part->begin(), part->end());
  return out;
}

// Made as one matrix or vector, then given its shape.
MakeTensor made_flat(const Poly<Initializer>& initializer, Dims flat, Dims shape, DType dtype) {
  return [&initializer, flat = std::move(flat), shape = std::move(shape),
          dtype](const random::Key& key) {
    return initializer(key, flat, scalar_type(dtype)).reshape(shape);
  };
}

}  // namespace

Tensor Dense::call(const Tensor& inputs) const {
  if (inputs.dim() == 0) fail("the input is a single number, it needs a dimension of features");
  if (features <= 0) fail("features is " + std::to_string(features) + ", it must be positive");
  at::ScalarType made = scalar_type(param_dtype);
  Tensor kernel = param("kernel", {inputs.size(-1), features}, kernel_init, made);
  Tensor bias = use_bias ? param("bias", {features}, bias_init, made) : Tensor();
  auto type = computation_type(dtype, {&inputs, &kernel, &bias});
  return multiply(cast(inputs, type), cast(kernel, type), cast(bias, type));
}

Tensor DenseGeneral::call(const Tensor& inputs) const {
  Axes axes = axes_of(*this, inputs);
  Dims batch = sizes_at(inputs, axes.batch), free = sizes_at(inputs, axes.free),
       summed = sizes_at(inputs, axes.summed);
  std::int64_t groups = product(batch), rows = product(free), in = product(summed),
               out = product(axes.features);

  Dims kernel_shape = joined({&batch, &summed, &axes.features});
  Tensor kernel = param("kernel", kernel_shape,
                        made_flat(kernel_init, {groups * in, out}, kernel_shape, param_dtype));
  Tensor bias;
  if (use_bias) {
    Dims shape = joined({&batch, &axes.features});
    bias = param("bias", shape, made_flat(bias_init, {groups * out}, shape, param_dtype));
  }
  auto type = computation_type(dtype, {&inputs, &kernel, &bias});
  Tensor x = cast(inputs, type).permute(joined({&axes.batch, &axes.free, &axes.summed}));
  kernel = cast(kernel, type), bias = cast(bias, type);

  Dims out_shape = joined({&batch, &free, &axes.features});
  if (axes.batch.empty()) {
    Tensor flat_bias = bias.defined() ? bias.reshape({out}) : bias;
    return multiply(x.reshape({rows, in}), kernel.reshape({in, out}), flat_bias).view(out_shape);
  }
  Tensor y = at::bmm(x.reshape({groups, rows, in}), kernel.reshape({groups, in, out}));
  if (bias.defined()) y = y + bias.reshape({groups, 1, out});
  return y.view(out_shape);
}

}  // namespace kd::nn
