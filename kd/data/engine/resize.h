// Sizes of images, as jax.image.resize and tf.image.resize change them.
//
//   Tensor small = resize_jax(image, {224, 224}, ResizeMethod::bilinear, /*antialias=*/true);
//
// Images are "... h w c". The result is a float32, except for `nearest`, which keeps the type.
#pragma once

#include <cstdint>
#include <utility>

#include "kd/core/tensor.h"
#include "kd/data/transforms/resize_method.h"

namespace kd::data {

using ImageSize = std::pair<std::int64_t, std::int64_t>;  // height, width

Tensor resize_jax(const Tensor& images, ImageSize size, ResizeMethod method, bool antialias);
Tensor resize_tf(const Tensor& images, ImageSize size, ResizeMethod method, bool antialias);

}  // namespace kd::data
