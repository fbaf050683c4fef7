// Initializers: how the first values of a parameter are made. Bit for bit the reference's draws.
//
//   cfg.model = nn::Dense{.features = 10, .kernel_init = nn::initializers::Normal{.stddev = 0.02}};
//
// Those that scale with the size of the layer are in kd/nn/initializers/initializers_scaled.h.
#pragma once

#include <optional>

#include "kd/nn/module/fields.h"

namespace c10 {
template <class T>
class ArrayRef;
}
namespace kd::random {
struct Key;
}

namespace kd::nn::initializers {

using Shape = c10::ArrayRef<std::int64_t>;

// All zero.
struct Zeros {
  Tensor make(const random::Key& key, Shape shape, c10::ScalarType dtype) const;
};

// All one.
struct Ones {
  Tensor make(const random::Key& key, Shape shape, c10::ScalarType dtype) const;
};

// The same value everywhere.
struct Constant {
  Required<double> value;           // of every element
  std::optional<DType> dtype = {};  // modules use their own
  Tensor make(const random::Key& key, Shape shape, c10::ScalarType dtype) const;
};

// Normally distributed.
struct Normal {
  double stddev = 1e-2;             // standard deviation
  std::optional<DType> dtype = {};  // modules use their own
  Tensor make(const random::Key& key, Shape shape, c10::ScalarType dtype) const;
};

// Evenly distributed from 0 to `scale`.
struct Uniform {
  double scale = 1e-2;              // upper end
  std::optional<DType> dtype = {};  // modules use their own
  Tensor make(const random::Key& key, Shape shape, c10::ScalarType dtype) const;
};

// Normally distributed between two bounds. `stddev` is that of the normal before it is cut.
struct TruncatedNormal {
  double stddev = 1e-2;             // multiplies the draws
  std::optional<DType> dtype = {};  // modules use their own
  double lower = -2.0;              // lowest draw, before scaling
  double upper = 2.0;               // highest draw, before scaling
  Tensor make(const random::Key& key, Shape shape, c10::ScalarType dtype) const;
};

// A matrix with orthogonal columns (or rows, when it is wide).
struct Orthogonal {
  double scale = 1.0;               // multiplies the matrix
  int column_axis = -1;             // the axis of the columns; the others are the rows
  std::optional<DType> dtype = {};  // modules use their own
  Tensor make(const random::Key& key, Shape shape, c10::ScalarType dtype) const;
};

// An orthogonal matrix at the centre of a convolution's window, zero elsewhere.
struct DeltaOrthogonal {
  double scale = 1.0;               // multiplies the matrix
  int column_axis = -1;             // the axis of the columns
  std::optional<DType> dtype = {};  // modules use their own
  Tensor make(const random::Key& key, Shape shape, c10::ScalarType dtype) const;
};

// The defaults of layers, each one shared object: copies are free, writing to one makes a copy.
const Poly<Initializer>& zeros();
const Poly<Initializer>& ones();
const Poly<Initializer>& lecun_normal();
const Poly<Initializer>& orthogonal();

}  // namespace kd::nn::initializers

KONFIG_COMPONENT(kd::Initializer, kd::nn::initializers::Zeros,
                 "flax.linen:initializers.zeros_init");
KONFIG_COMPONENT(kd::Initializer, kd::nn::initializers::Ones, "flax.linen:initializers.ones_init");
KONFIG_COMPONENT(kd::Initializer, kd::nn::initializers::Constant,
                 "flax.linen:initializers.constant", "jax.nn:initializers.constant");
KONFIG_COMPONENT(kd::Initializer, kd::nn::initializers::Normal, "flax.linen:initializers.normal",
                 "jax.nn:initializers.normal");
KONFIG_COMPONENT(kd::Initializer, kd::nn::initializers::Uniform, "flax.linen:initializers.uniform",
                 "jax.nn:initializers.uniform");
KONFIG_COMPONENT(kd::Initializer, kd::nn::initializers::TruncatedNormal,
                 "flax.linen:initializers.truncated_normal",
                 "jax.nn:initializers.truncated_normal");
KONFIG_COMPONENT(kd::Initializer, kd::nn::initializers::Orthogonal,
                 "flax.linen:initializers.orthogonal", "jax.nn:initializers.orthogonal");
KONFIG_COMPONENT(kd::Initializer, kd::nn::initializers::DeltaOrthogonal,
                 "flax.linen:initializers.delta_orthogonal",
                 "jax.nn:initializers.delta_orthogonal");
