// Sizes of images, as jax.image.resize and tf.image.resize change them.
//
//   Tensor small = resize_jax(image, {224, 224}, "bilinear", /*antialias=*/true);
//
// Images are "... h w c". The result is a float32, except for `nearest`, which keeps the type.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "kd/core/tensor.h"

namespace kd::data {

using ImageSize = std::pair<std::int64_t, std::int64_t>;  // height, width

// nearest, linear, bilinear, cubic, bicubic, lanczos3, lanczos5.
Tensor resize_jax(const Tensor& images, ImageSize size, std::string_view method, bool antialias);
// nearest, bilinear, bicubic, area, lanczos3, lanczos5, gaussian, mitchellcubic.
Tensor resize_tf(const Tensor& images, ImageSize size, std::string_view method, bool antialias);

}  // namespace kd::data
