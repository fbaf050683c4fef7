// What the normalizations share. Library only.
#pragma once

#include "kd/nn/layers/norm.h"
#include "kd/nn/shapes_impl.h"

namespace kd::nn::detail {

// The settings that all of them have.
struct Affine {
  double epsilon;
  std::optional<DType> dtype;
  DType param_dtype;
  bool use_bias, use_scale;
  const Poly<Initializer>& bias_init;
  const Poly<Initializer>& scale_init;
  bool float32_at_least;
};
template <class Layer>
Affine affine_of(const Layer& layer) {
  constexpr bool has_bias = requires { layer.use_bias; };
  if constexpr (has_bias) {
    return {layer.epsilon,   layer.dtype,     layer.param_dtype, layer.use_bias,
            layer.use_scale, layer.bias_init, layer.scale_init,  layer.force_float32_reductions};
  } else {
    return {
        layer.epsilon,   layer.dtype,           layer.param_dtype, false,
        layer.use_scale, initializers::zeros(), layer.scale_init,  layer.force_float32_reductions};
  }
}

// The type in which means and variances are computed.
at::ScalarType reduction_type(const Affine& settings, const Tensor& x);

// The learned scale and offset; undefined where there is none. Made in the reference's order.
struct Learned {
  Tensor scale, bias;
};
Learned learned(const Affine& settings, at::IntArrayRef shape);

// Mean and variance, with dimensions of size 1 where they were taken.
struct Stats {
  Tensor mean, variance;
};
Stats stats_of(const Tensor& x, at::IntArrayRef axes, bool use_mean, bool fast, const Tensor& mask);

// (x - mean) / sqrt(variance + epsilon), with the learned part, which has the dimensions
// `feature_axes`.
Tensor normalize(const Affine& settings, const Tensor& x, const Stats& stats,
                 at::IntArrayRef feature_axes);

// The sizes of some dimensions.
Dims sizes_at(const Tensor& x, at::IntArrayRef axes);
// Whether these are the last dimensions of so many.
bool are_last(at::IntArrayRef axes, std::int64_t rank);

// x / sqrt(mean(x^2) + epsilon) * scale over the last dimension; the scale may be undefined.
Tensor rms_norm(const Tensor& x, const Tensor& scale, double epsilon);
bool has_fast_rms_norm(const Tensor& x);

inline Tensor mask_of(const std::optional<Tensor>& mask) {
  return mask ? mask->to(at::kBool) : Tensor();
}

}  // namespace kd::nn::detail
