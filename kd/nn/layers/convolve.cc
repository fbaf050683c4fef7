// The convolution itself, in libtorch's terms.
#include <ATen/ops/convolution.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <numeric>

#include "kd/nn/window_impl.h"

namespace kd::nn::detail {

namespace {

bool all_one(const Dims& dims) {
  return std::all_of(dims.begin(), dims.end(), [](auto n) { return n == 1; });
}

// What both sides have goes to the kernel's own padding; the rest is added or cut beforehand.
std::pair<Dims, Pads> split(const Pads& pads) {
  Dims common;
  Pads rest;
  for (auto [before, after] : pads) {
    std::int64_t both = std::max<std::int64_t>(std::min(before, after), 0);
    common.push_back(both);
    rest.emplace_back(before - both, after - both);
  }
  return {common, rest};
}

// The usual case. libtorch's kernels are (features, channels, window...).
Tensor direct(const Tensor& x, const Tensor& kernel, const Tensor& bias, const Window& window,
              const Pads& pads, std::int64_t groups) {
  auto [common, rest] = split(pads);
  std::vector<std::int64_t> order = {kernel.dim() - 1, kernel.dim() - 2};
  for (std::int64_t d = 0; d < kernel.dim() - 2; ++d) order.push_back(d);
  return at::convolution(padded(x, rest), kernel.permute(order), bias, window.strides, common,
                         window.dilation, /*transposed=*/false, Dims(window.rank(), 0), groups);
}

// An input spread by zeros is a transposed convolution with the flipped kernel. Its full output
// reaches over the edges by `reach - 1`, of which padding decides how much stays.
Tensor transposed(const Tensor& x, const Tensor& kernel, const Tensor& bias, const Window& window,
                  const Pads& pads, std::int64_t groups) {
  auto rank = static_cast<std::int64_t>(window.rank());
  Dims window_dims(window.rank());
  std::iota(window_dims.begin(), window_dims.end(), 0);
  // (window..., in / groups, out) to (in, out / groups, window...).
  Dims shape(kernel.sizes().begin(), kernel.sizes().begin() + rank);
  std::int64_t in = kernel.size(rank), out = kernel.size(rank + 1) / groups;
  shape.insert(shape.end(), {in, groups, out});
  Dims order = {rank + 1, rank, rank + 2};
  order.insert(order.end(), window_dims.begin(), window_dims.end());
  Tensor weight = kernel.flip(window_dims).reshape(shape).permute(order).flatten(0, 1);

  Pads stays;
  for (std::size_t i = 0; i < window.rank(); ++i) {
    std::int64_t full = window.reach(i) - 1;
    stays.emplace_back(pads[i].first - full, pads[i].second - full);
  }
  Dims common;
  for (auto& [before, after] : stays) {
    std::int64_t both = std::max<std::int64_t>(std::min(-before, -after), 0);
    common.push_back(both);
    before += both, after += both;
  }
  bool grows =
      std::any_of(stays.begin(), stays.end(), [](auto& s) { return s.first > 0 || s.second > 0; });
  // Where zeros are added the bias must come later.
  Tensor y = at::convolution(x, weight, grows ? Tensor() : bias, window.spread, common,
                             window.dilation, /*transposed=*/true, Dims(window.rank(), 0), groups);
  y = padded(y, stays);
  for (std::int64_t i = 0; i < rank; ++i) {
    auto stride = window.strides[static_cast<std::size_t>(i)];
    if (stride != 1) y = y.slice(i + 2, 0, y.size(i + 2), stride);
  }
  if (!grows || !bias.defined()) return y;
  Dims spread(static_cast<std::size_t>(y.dim()), 1);
  spread[1] = bias.size(0);
  return y + bias.view(spread);
}

}  // namespace

Tensor convolve(const Tensor& x, const Tensor& kernel, const Tensor& bias, const Window& window,
                const Pads& pads, std::int64_t groups) {
  if (window.rank() < 1 || window.rank() > 3) {
    fail("kernel_size has " + std::to_string(window.rank()) +
         " dimensions, convolutions have 1 to 3");
  }
  Dims out = places(x.sizes().slice(2), window, pads);
  out.insert(out.begin(), {x.size(0), kernel.size(-1)});
  if (product(out) == 0) return at::empty(out, x.options());
  if (all_one(window.spread)) return direct(x, kernel, bias, window, pads, groups);
  return transposed(x, kernel, bias, window, pads, groups);
}

}  // namespace kd::nn::detail
