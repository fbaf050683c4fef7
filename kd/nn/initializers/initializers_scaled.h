// Initializers that scale with the number of inputs and outputs of a kernel, so that a layer keeps
// the size of what goes through it. The axes that are neither (a convolution's window) multiply
// both numbers.
#pragma once

#include "kd/nn/initializers/initializers.h"

namespace kd::nn::initializers {

enum class Mode { fan_in, fan_out, fan_avg, fan_geo_avg };
enum class Distribution { truncated_normal, normal, uniform };

// Variance `scale` over the number of inputs, outputs, or a mean of both.
struct VarianceScaling {
  Required<double> scale;               // variance times the number that `mode` chooses
  Required<Mode> mode;                  // what the variance is divided by
  Required<Distribution> distribution;  // shape of the distribution
  Ints in_axis = -2;                    // axes of the inputs
  Ints out_axis = -1;                   // axes of the outputs
  Ints batch_axis = {};                 // axes that are neither
  std::optional<DType> dtype = {};      // modules use their own
  Tensor make(const random::Key& key, Shape shape, c10::ScalarType dtype) const;
};

// The usual choices of VarianceScaling.

// Variance 1/inputs, truncated normal: the default of most layers.
struct LecunNormal {
  Ints in_axis = -2;                // axes of the inputs
  Ints out_axis = -1;               // axes of the outputs
  Ints batch_axis = {};             // axes that are neither
  std::optional<DType> dtype = {};  // modules use their own
  Tensor make(const random::Key& key, Shape shape, c10::ScalarType dtype) const;
};

// Variance 1/inputs, uniform.
struct LecunUniform {
  Ints in_axis = -2;                // axes of the inputs
  Ints out_axis = -1;               // axes of the outputs
  Ints batch_axis = {};             // axes that are neither
  std::optional<DType> dtype = {};  // modules use their own
  Tensor make(const random::Key& key, Shape shape, c10::ScalarType dtype) const;
};

// Variance 2/(inputs + outputs), truncated normal.
struct GlorotNormal {
  Ints in_axis = -2;                // axes of the inputs
  Ints out_axis = -1;               // axes of the outputs
  Ints batch_axis = {};             // axes that are neither
  std::optional<DType> dtype = {};  // modules use their own
  Tensor make(const random::Key& key, Shape shape, c10::ScalarType dtype) const;
};

// Variance 2/(inputs + outputs), uniform.
struct GlorotUniform {
  Ints in_axis = -2;                // axes of the inputs
  Ints out_axis = -1;               // axes of the outputs
  Ints batch_axis = {};             // axes that are neither
  std::optional<DType> dtype = {};  // modules use their own
  Tensor make(const random::Key& key, Shape shape, c10::ScalarType dtype) const;
};

// Variance 2/inputs, truncated normal.
struct HeNormal {
  Ints in_axis = -2;                // axes of the inputs
  Ints out_axis = -1;               // axes of the outputs
  Ints batch_axis = {};             // axes that are neither
  std::optional<DType> dtype = {};  // modules use their own
  Tensor make(const random::Key& key, Shape shape, c10::ScalarType dtype) const;
};

// Variance 2/inputs, uniform.
struct HeUniform {
  Ints in_axis = -2;                // axes of the inputs
  Ints out_axis = -1;               // axes of the outputs
  Ints batch_axis = {};             // axes that are neither
  std::optional<DType> dtype = {};  // modules use their own
  Tensor make(const random::Key& key, Shape shape, c10::ScalarType dtype) const;
};

using XavierNormal = GlorotNormal;
using XavierUniform = GlorotUniform;
using KaimingNormal = HeNormal;
using KaimingUniform = HeUniform;

}  // namespace kd::nn::initializers

KONFIG_COMPONENT(kd::Initializer, kd::nn::initializers::VarianceScaling,
                 "flax.linen:initializers.variance_scaling",
                 "jax.nn:initializers.variance_scaling");
KONFIG_COMPONENT(kd::Initializer, kd::nn::initializers::LecunNormal,
                 "flax.linen:initializers.lecun_normal", "jax.nn:initializers.lecun_normal");
KONFIG_COMPONENT(kd::Initializer, kd::nn::initializers::LecunUniform,
                 "flax.linen:initializers.lecun_uniform", "jax.nn:initializers.lecun_uniform");
KONFIG_COMPONENT(kd::Initializer, kd::nn::initializers::GlorotNormal,
                 "flax.linen:initializers.glorot_normal", "jax.nn:initializers.glorot_normal",
                 "flax.linen:initializers.xavier_normal", "jax.nn:initializers.xavier_normal");
KONFIG_COMPONENT(kd::Initializer, kd::nn::initializers::GlorotUniform,
                 "flax.linen:initializers.glorot_uniform", "jax.nn:initializers.glorot_uniform",
                 "flax.linen:initializers.xavier_uniform", "jax.nn:initializers.xavier_uniform");
KONFIG_COMPONENT(kd::Initializer, kd::nn::initializers::HeNormal,
                 "flax.linen:initializers.he_normal", "jax.nn:initializers.he_normal",
                 "flax.linen:initializers.kaiming_normal", "jax.nn:initializers.kaiming_normal");
KONFIG_COMPONENT(kd::Initializer, kd::nn::initializers::HeUniform,
                 "flax.linen:initializers.he_uniform", "jax.nn:initializers.he_uniform",
                 "flax.linen:initializers.kaiming_uniform", "jax.nn:initializers.kaiming_uniform");
