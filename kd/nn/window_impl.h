// Windows that slide over an input: sizes, padding, and the convolution itself. Library only.
#pragma once

#include <utility>
#include <vector>

#include "kd/nn/shapes_impl.h"

namespace kd::nn::detail {

using Pads = std::vector<std::pair<std::int64_t, std::int64_t>>;

// One entry per dimension of the window. All have the same length.
struct Window {
  Dims size;
  Dims strides;
  Dims dilation;  // between the elements of the window
  Dims spread;    // between the elements of the input

  std::size_t rank() const { return size.size(); }
  // What it covers, gaps included.
  std::int64_t reach(std::size_t i) const { return (size[i] - 1) * dilation[i] + 1; }
};

// Settings of a layer as one entry per dimension; an Error when their number is not that of the
// window or one is not positive.
Dims per_dimension(const OptionalInts& setting, std::size_t rank, const char* field);

// "same" as "SAME"; "" when the padding is given in numbers.
std::string kind_of(const Padding& padding);
// The numbers of a padding: of SAME, SAME_LOWER and VALID, or as given. `sizes` are those of the
// input's dimensions.
Pads pads_of(const Padding& padding, at::IntArrayRef sizes, const Window& window);

// The number of places of the window in each dimension; an Error when it does not fit once.
Dims places(at::IntArrayRef sizes, const Window& window, const Pads& pads);

// Adds to (batch, channels, dimensions...), or cuts where a number is negative.
Tensor padded(const Tensor& x, const Pads& pads, double value = 0);

// A batch with exactly one batch dimension, as (batch, channels, dimensions...): a view.
Tensor channels_first(const Tensor& x, std::size_t rank);
// The way back, with the batch dimensions of `like`.
Tensor channels_last(const Tensor& y, const Tensor& like, std::size_t rank);

// x: (batch, channels, dimensions...); kernel: (window..., channels / groups, features).
Tensor convolve(const Tensor& x, const Tensor& kernel, const Tensor& bias, const Window& window,
                const Pads& pads, std::int64_t groups);

}  // namespace kd::nn::detail
