// How a resized image is computed from its neighbours.
#pragma once

namespace kd::data {

// The names of jax.image.resize and of tf.image.resize. Each of the two refuses those of the other.
enum class ResizeMethod {
  nearest,
  bilinear,
  bicubic,
  lanczos3,
  lanczos5,
  linear,         // jax: bilinear
  trilinear,      // jax: bilinear
  triangle,       // jax: bilinear
  cubic,          // jax: bicubic
  tricubic,       // jax: bicubic
  area,           // tf
  gaussian,       // tf
  mitchellcubic,  // tf
  AUTO,           // kd.data.tf.Resize and ResizeSmall: nearest for whole numbers, else area
};

}  // namespace kd::data
