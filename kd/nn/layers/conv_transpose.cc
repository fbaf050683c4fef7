// ConvTranspose: the way back from a convolution.
#include <numeric>

#include "kd/nn/engine/promote.h"
#include "kd/nn/engine/scope.h"
#include "kd/nn/layers/conv.h"
#include "kd/nn/module/invoke.h"
#include "kd/nn/window_impl.h"

namespace kd::nn {

namespace {

using detail::Dims;
using detail::fail;
using detail::Pads;
using detail::Window;

// The padding of the convolution that runs backwards: SAME makes the output `stride` times as
// large as the input.
std::pair<std::int64_t, std::int64_t> backward_pads(const std::string& kind, std::int64_t reach,
                                                    std::int64_t stride,
                                                    std::pair<std::int64_t, std::int64_t> given) {
  if (kind == "SAME") {
    std::int64_t total = reach + stride - 2;
    std::int64_t before = stride > reach - 1 ? reach - 1 : (total + 1) / 2;
    return {before, total - before};
  }
  if (kind == "VALID" || kind == "CIRCULAR") {
    std::int64_t total = reach + stride - 2 + std::max<std::int64_t>(reach - stride, 0);
    return {reach - 1, total - (reach - 1)};
  }
  return given;
}

// Folds what reaches over the edges back to the other side. `period`: the size of the result.
Tensor fold(Tensor y, std::size_t rank, const Dims& period, bool extra_behind) {
  Pads pads;
  for (std::size_t i = 0; i < rank; ++i) {
    std::int64_t size = y.size(static_cast<std::int64_t>(i) + 2);
    std::int64_t twice = 2 * period[i];
    std::int64_t missing = ((period[i] - size) % twice + twice) % twice;
    std::int64_t less = missing / 2, more = (missing + 1) / 2;
    pads.emplace_back(extra_behind ? less : more, extra_behind ? more : less);
  }
  y = detail::padded(y, pads);
  for (std::size_t i = 0; i < rank; ++i) {
    auto dim = static_cast<std::int64_t>(i) + 2;
    y = y.unflatten(dim, {y.size(dim) / period[i], period[i]}).sum(dim);
  }
  return y;
}

}  // namespace

Tensor ConvTranspose::call(const Tensor& inputs) const {
  // The strides of this layer spread its input.
  Window window{.size = kernel_size->list()};
  window.size = detail::per_dimension(window.size, window.size.size(), "kernel_size");
  window.strides = Dims(window.rank(), 1);
  window.dilation = detail::per_dimension(kernel_dilation, window.rank(), "kernel_dilation");
  window.spread = detail::per_dimension(strides, window.rank(), "strides");

  std::string kind = detail::kind_of(padding);
  if (!kind.empty() && kind != "SAME" && kind != "VALID" && kind != "CIRCULAR") {
    fail("padding \"" + kind + "\" is not known here; use \"SAME\", \"VALID\", \"CIRCULAR\" or " +
         "numbers");
  }
  Tensor x = detail::channels_first(inputs, window.rank());
  std::int64_t channels = x.size(1);
  Pads given = kind.empty() ? detail::pads_of(padding, x.sizes().slice(2), window)
                            : Pads(window.rank(), {0, 0});
  Pads pads;
  Dims period;
  for (std::size_t i = 0; i < window.rank(); ++i) {
    pads.push_back(backward_pads(kind, window.reach(i), window.spread[i], given[i]));
    period.push_back(x.size(static_cast<std::int64_t>(i) + 2) * window.spread[i]);
  }

  at::ScalarType made = scalar_type(param_dtype);
  Dims shape = window.size;
  shape.insert(shape.end(), {transpose_kernel ? std::int64_t{features} : channels,
                             transpose_kernel ? channels : std::int64_t{features}});
  Tensor kernel = param("kernel", shape, kernel_init, made);
  Tensor bias = use_bias ? param("bias", {features}, bias_init, made) : Tensor();
  auto type = computation_type(dtype, {&inputs, &kernel, &bias});
  kernel = cast(kernel, type), bias = cast(bias, type);
  if (transpose_kernel) {
    Dims window_dims(window.rank());
    std::iota(window_dims.begin(), window_dims.end(), 0);
    kernel = kernel.flip(window_dims).transpose(-1, -2);
  }
  bool circular = kind == "CIRCULAR";
  Tensor y = detail::convolve(cast(x, type), kernel, circular ? Tensor() : bias, window, pads, 1);
  if (circular) {
    y = fold(y, window.rank(), period, transpose_kernel);
    if (bias.defined()) {
      Dims spread(static_cast<std::size_t>(y.dim()), 1);
      spread[1] = features;
      y = y + bias.view(spread);
    }
  }
  return detail::channels_last(y, inputs, window.rank());
}

}  // namespace kd::nn
