// Pooling.
#include "kd/nn/engine/pool.h"

#include <ATen/ops/avg_pool1d.h>
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/avg_pool3d.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/max_pool1d.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/max_pool3d.h>
#include <ATen/ops/ones.h>

#include <limits>

#include "kd/nn/window_impl.h"

namespace kd::nn {

namespace {

using detail::Dims;
using detail::fail;
using detail::Pads;
using detail::Window;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The input as libtorch wants it, and the window over it.
struct Prepared {
  Tensor x;  // (batch, channels, dimensions...), padded
  Window window;
  Pads pads;
  Dims out;  // shape of the result
};

Prepared prepare(const Tensor& x, const Pool& how, double value) {
  auto rank = how.window_shape.size();
  if (rank < 1 || rank > 3) {
    fail("window_shape has " + std::to_string(rank) + " dimensions, pooling has 1 to 3");
  }
  OptionalInts strides;
  if (!how.strides.empty()) strides = how.strides;
  Window window{.size = detail::per_dimension(how.window_shape, rank, "window_shape"),
                .strides = detail::per_dimension(strides, rank, "strides"),
                .dilation = Dims(rank, 1),
                .spread = Dims(rank, 1)};
  Tensor first = detail::channels_first(x, rank);
  Pads pads = detail::pads_of(how.padding, first.sizes().slice(2), window);
  Dims out = detail::places(first.sizes().slice(2), window, pads);
  out.insert(out.begin(), {first.size(0), first.size(1)});
  return {detail::padded(first, pads, value), window, pads, out};
}

Tensor averages(const Tensor& x, const Window& w) {
  switch (w.rank()) {
    case 1:
      return at::avg_pool1d(x, w.size, w.strides);
    case 2:
      return at::avg_pool2d(x, w.size, w.strides);
    default:
      return at::avg_pool3d(x, w.size, w.strides);
  }
}

Tensor largest(const Tensor& x, const Window& w) {
  switch (w.rank()) {
    case 1:
      return at::max_pool1d(x, w.size, w.strides);
    case 2:
      return at::max_pool2d(x, w.size, w.strides);
    default:
      return at::max_pool3d(x, w.size, w.strides);
  }
}

}  // namespace

Tensor avg_pool(const Tensor& x, const Pool& how) {
  Prepared p = prepare(x, how, 0);
  auto rank = p.window.rank();
  if (detail::product(p.out) == 0) {
    return detail::channels_last(at::empty(p.out, x.options()), x, rank);
  }
  Tensor y = averages(p.x, p.window);
  if (!how.count_include_pad) {
    // The fraction of each window that is no padding.
    Dims shape = {1, 1};
    for (auto d = x.dim() - 1 - static_cast<std::int64_t>(rank); d + 1 < x.dim(); ++d) {
      shape.push_back(x.size(d));
    }
    y = y / averages(detail::padded(at::ones(shape, x.options()), p.pads), p.window);
  }
  return detail::channels_last(y, x, rank);
}

Tensor max_pool(const Tensor& x, const Pool& how) {
  Prepared p = prepare(x, how, -kInfinity);
  auto rank = p.window.rank();
  Tensor y = detail::product(p.out) == 0 ? at::empty(p.out, x.options()) : largest(p.x, p.window);
  return detail::channels_last(y, x, rank);
}

Tensor min_pool(const Tensor& x, const Pool& how) { return -max_pool(-x, how); }

}  // namespace kd::nn
