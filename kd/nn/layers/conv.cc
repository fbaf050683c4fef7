// Convolutions.
#include "kd/nn/layers/conv.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/minimum.h>

#include "kd/nn/engine/promote.h"
#include "kd/nn/engine/scope.h"
#include "kd/nn/module/invoke.h"
#include "kd/nn/window_impl.h"

namespace kd::nn {

namespace {

using detail::Dims;
using detail::fail;
using detail::Pads;
using detail::Window;

template <class Layer>
Window window_of(const Layer& layer) {
  Window out{.size = layer.kernel_size->list()};
  out.size = detail::per_dimension(out.size, out.size.size(), "kernel_size");
  out.strides = detail::per_dimension(layer.strides, out.rank(), "strides");
  out.dilation = detail::per_dimension(layer.kernel_dilation, out.rank(), "kernel_dilation");
  out.spread = detail::per_dimension(layer.input_dilation, out.rank(), "input_dilation");
  return out;
}

// The places of a longer line, beyond both ends, in one of `size` elements.
Tensor wrapped(std::int64_t before, std::int64_t size, std::int64_t after, const Tensor& x) {
  return at::arange(-before, size + after, x.options().dtype(at::kLong)).remainder(size);
}
Tensor mirrored(std::int64_t before, std::int64_t size, std::int64_t after, const Tensor& x) {
  Tensor line = at::arange(-before, size + after, x.options().dtype(at::kLong));
  if (size == 1) return line * 0;
  std::int64_t period = 2 * (size - 1);
  line = line.remainder(period);
  return at::minimum(line, period - line);
}

// CIRCULAR, REFLECT and CAUSAL lengthen the input; what is left to the convolution is VALID.
Pads pad_input(Tensor& x, const Padding& padding, const Window& window) {
  std::string kind = detail::kind_of(padding);
  if (kind == "CAUSAL") {
    if (window.rank() != 1) fail("padding \"CAUSAL\" is for windows of one dimension");
    x = detail::padded(x, {{window.reach(0) - 1, 0}});
  } else if (kind == "CIRCULAR" || kind == "REFLECT") {
    for (std::size_t i = 0; i < window.rank(); ++i) {
      auto dim = static_cast<std::int64_t>(i) + 2;
      std::int64_t reach = window.reach(i), before = (reach - 1) / 2, after = reach / 2;
      if (x.size(dim) == 0) fail("padding \"" + kind + "\" needs an input that is not empty");
      auto line = kind == "CIRCULAR" ? wrapped : mirrored;
      x = at::index_select(x, dim, line(before, x.size(dim), after, x));
    }
  } else {
    return detail::pads_of(padding, x.sizes().slice(2), window);
  }
  return Pads(window.rank(), {0, 0});
}

// Zeros between the elements of one dimension.
Tensor spread_out(const Tensor& x, std::int64_t dim, std::int64_t by) {
  if (by == 1 || x.size(dim) == 0) return x;
  Dims shape = x.sizes().vec();
  shape[static_cast<std::size_t>(dim)] *= by;
  Tensor y = x.unsqueeze(-1).movedim(-1, dim + 1);
  Pads pads(static_cast<std::size_t>(y.dim() - dim - 1), {0, 0});
  pads[0].second = by - 1;
  return detail::padded(y, pads).reshape(shape).narrow(dim, 0, (x.size(dim) - 1) * by + 1);
}

// What the window sees at every place: (places, batch, channels * window).
Tensor patches(Tensor x, const Window& window, const Dims& places) {
  auto rank = static_cast<std::int64_t>(window.rank());
  for (std::int64_t i = 0; i < rank; ++i) {
    auto n = static_cast<std::size_t>(i);
    auto options = x.options().dtype(at::kLong);
    Tensor starts = at::arange(places[n], options) * window.strides[n];
    Tensor offsets = at::arange(window.size[n], options) * window.dilation[n];
    Tensor all = (starts.unsqueeze(1) + offsets).flatten();
    // The window's own dimension goes to the end.
    x = at::index_select(x, i + 2, all).unflatten(i + 2, {places[n], window.size[n]});
    x = x.movedim(i + 3, -1);
  }
  Dims order;
  for (std::int64_t i = 0; i < rank; ++i) order.push_back(i + 2);
  order.insert(order.end(), {0, 1});
  for (std::int64_t i = 0; i < rank; ++i) order.push_back(i + 2 + rank);
  std::int64_t batch = x.size(0), seen = x.size(1) * detail::product(window.size);
  return x.permute(order).reshape({detail::product(places), batch, seen});
}

}  // namespace

Tensor Conv::call(const Tensor& inputs) const {
  Window window = window_of(*this);
  Tensor x = detail::channels_first(inputs, window.rank());
  std::int64_t channels = x.size(1), groups = feature_group_count;
  if (groups < 1 || channels % groups != 0 || features % groups != 0) {
    fail("feature_group_count " + std::to_string(groups) + " must divide the " +
         std::to_string(channels) + " input channels and the " + std::to_string(features) +
         " features");
  }
  at::ScalarType made = scalar_type(param_dtype);
  Dims shape = window.size;
  shape.insert(shape.end(), {channels / groups, features});
  Tensor kernel = param("kernel", shape, kernel_init, made);
  Tensor bias = use_bias ? param("bias", {features}, bias_init, made) : Tensor();

  auto type = computation_type(dtype, {&inputs, &kernel, &bias});
  x = cast(x, type);
  Pads pads = pad_input(x, padding, window);
  Tensor y = detail::convolve(x, cast(kernel, type), cast(bias, type), window, pads, groups);
  return detail::channels_last(y, inputs, window.rank());
}

Tensor ConvLocal::call(const Tensor& inputs) const {
  Window window = window_of(*this);
  if (feature_group_count != 1) fail("feature_group_count must be 1 in ConvLocal");
  Tensor x = detail::channels_first(inputs, window.rank());
  Pads pads = pad_input(x, padding, window);
  Dims places = detail::places(x.sizes().slice(2), window, pads);

  at::ScalarType made = scalar_type(param_dtype);
  std::int64_t seen = x.size(1) * detail::product(window.size);
  Dims kernel_shape = places, bias_shape = places;
  kernel_shape.insert(kernel_shape.end(), {seen, features});
  bias_shape.push_back(features);
  Tensor kernel = param("kernel", kernel_shape, kernel_init, made);
  Tensor bias = use_bias ? param("bias", bias_shape, bias_init, made) : Tensor();

  auto type = computation_type(dtype, {&inputs, &kernel, &bias});
  x = cast(x, type);
  for (std::size_t i = 0; i < window.rank(); ++i) {
    x = spread_out(x, static_cast<std::int64_t>(i) + 2, window.spread[i]);
  }
  Tensor seen_at = patches(detail::padded(x, pads), window, places);
  Tensor y = at::bmm(seen_at, cast(kernel, type).reshape({-1, seen, features}));
  Dims shape = places;
  shape.insert(shape.end(), {x.size(0), features});
  y = y.reshape(shape).movedim(-2, 0);  // (batch, places..., features)
  if (bias.defined()) y = y + cast(bias, type);
  return detail::channels_last(y.movedim(-1, 1), inputs, window.rank());
}

}  // namespace kd::nn
