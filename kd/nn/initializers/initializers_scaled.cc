// Initializers that scale with the number of inputs and outputs.
#include "kd/nn/initializers/initializers_scaled.h"

#include <ATen/ops/scalar_tensor.h>

#include <cmath>

#include "base/shape_text.h"
#include "kd/nn/engine/initializer.h"
#include "kd/nn/shapes_impl.h"
#include "kd/random/sample.h"
#include "konfig/copy_fields.h"

namespace kd::nn::initializers {

namespace {

using detail::fail;

// The spread of a normal cut at two deviations.
constexpr double kCutDeviation = .87962566103423978;

struct Fans {
  double in, out;
};

Fans fans_of(Shape shape, const VarianceScaling& how) {
  auto rank = static_cast<std::int64_t>(shape.size());
  if (rank < 2 && how.in_axis == Ints(-2)) {
    fail("the number of inputs of a parameter of shape " + base::tuple_text(shape) +
         " is not known; it needs two dimensions, or an in_axis");
  }
  auto size_of = [&](const Ints& axes, const char* field) {
    double size = 1;
    for (auto axis : axes.list()) {
      size *= static_cast<double>(
          shape[static_cast<std::size_t>(detail::normalized(axis, rank, field))]);
    }
    return size;
  };
  double in = size_of(how.in_axis, "in_axis"), out = size_of(how.out_axis, "out_axis"),
         batch = size_of(how.batch_axis, "batch_axis");
  double window = static_cast<double>(detail::product(shape)) / in / out / batch;
  return {in * window, out * window};
}

double denominator(const Fans& fans, Mode mode) {
  switch (mode) {
    case Mode::fan_in:
      return fans.in;
    case Mode::fan_out:
      return fans.out;
    case Mode::fan_avg:
      return (fans.in + fans.out) / 2;
    case Mode::fan_geo_avg:
      return std::sqrt(fans.in * fans.out);
  }
  return 1;
}

template <class Short>
Tensor make_scaled(const Short& how, double scale, Mode mode, Distribution distribution,
                   const random::Key& key, Shape shape, at::ScalarType dtype) {
  VarianceScaling full{.scale = scale, .mode = mode, .distribution = distribution};
  konfig::copy_fields(how, full);
  return full.make(key, shape, dtype);
}

}  // namespace

Tensor VarianceScaling::make(const random::Key& key, Shape shape, at::ScalarType type) const {
  double variance = scale / denominator(fans_of(shape, *this), mode);
  if (detail::product(shape) == 0) variance = 1;  // nothing to draw
  // In the parameter's own type, as the reference computes it.
  Tensor rounded = at::scalar_tensor(variance, type);
  switch (*distribution) {
    case Distribution::truncated_normal: {
      Tensor deviation = rounded.sqrt() / at::scalar_tensor(kCutDeviation, type);
      return random::truncated_normal(key, shape, -2, 2, type).mul_(deviation);
    }
    case Distribution::normal:
      return random::normal(key, shape, type).mul_(rounded.sqrt());
    case Distribution::uniform:
      return random::uniform(key, shape, -1, 1, type).mul_((rounded * 3).sqrt());
  }
  fail("no such distribution");
}

Tensor LecunNormal::make(const random::Key& key, Shape shape, at::ScalarType type) const {
  return make_scaled(*this, 1, Mode::fan_in, Distribution::truncated_normal, key, shape, type);
}
Tensor LecunUniform::make(const random::Key& key, Shape shape, at::ScalarType type) const {
  return make_scaled(*this, 1, Mode::fan_in, Distribution::uniform, key, shape, type);
}
Tensor GlorotNormal::make(const random::Key& key, Shape shape, at::ScalarType type) const {
  return make_scaled(*this, 1, Mode::fan_avg, Distribution::truncated_normal, key, shape, type);
}
Tensor GlorotUniform::make(const random::Key& key, Shape shape, at::ScalarType type) const {
  return make_scaled(*this, 1, Mode::fan_avg, Distribution::uniform, key, shape, type);
}
Tensor HeNormal::make(const random::Key& key, Shape shape, at::ScalarType type) const {
  return make_scaled(*this, 2, Mode::fan_in, Distribution::truncated_normal, key, shape, type);
}
Tensor HeUniform::make(const random::Key& key, Shape shape, at::ScalarType type) const {
  return make_scaled(*this, 2, Mode::fan_in, Distribution::uniform, key, shape, type);
}

}  // namespace kd::nn::initializers
