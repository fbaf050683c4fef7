// Metrics of camera poses.
#include <ATen/ops/acos.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>

#include <numbers>

#include "base/shape_text.h"
#include "kd/metrics/contrib/geometry.h"
#include "kd/metrics/engine/metric.h"

namespace kd::metrics::contrib {

using konfig::Error;
using konfig::ErrorKind;

namespace {

constexpr double kDegrees = 180 / std::numbers::pi;

// Of unit quaternions (x, y, z, w).
Tensor matrix_of(const Tensor& quaternion) {
  Tensor q = quaternion / quaternion.square().sum(-1, true).sqrt();
  Tensor x = q.select(-1, 0), y = q.select(-1, 1), z = q.select(-1, 2), w = q.select(-1, 3);
  auto row = [](const Tensor& a, const Tensor& b, const Tensor& c) {
    return at::stack({a, b, c}, -1);
  };
  return at::stack({row(1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
                    row(2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
                    row(2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y))},
                   -2);
}

void check_shape(const Tensor& pose, bool as_quaternion) {
  bool fits = as_quaternion ? pose.size(-2) == 7 && pose.size(-1) >= 1
                            : pose.size(-2) >= 3 && pose.size(-1) == 4;
  if (fits) return;
  throw Error(ErrorKind::value, std::string("poses are of shape ") +
                                    (as_quaternion ? "(..., 7, 1)" : "(..., 3, 4) or (..., 4, 4)") +
                                    ", found " + base::tuple_text(pose.sizes()));
}

Tensor rotation(const Tensor& pose, bool as_quaternion) {
  check_shape(pose, as_quaternion);
  if (as_quaternion) return matrix_of(pose.select(-1, 0).narrow(-1, 0, 4));
  return pose.narrow(-2, 0, 3).narrow(-1, 0, 3);
}

Tensor direction(const Tensor& pose, bool as_quaternion) {
  constexpr double kLeastLength = 1e-8;
  check_shape(pose, as_quaternion);
  Tensor t =
      as_quaternion ? pose.select(-1, 0).narrow(-1, 4, 3) : pose.select(-1, 3).narrow(-1, 0, 3);
  return t / t.square().sum(-1, true).sqrt().clamp_min(kLeastLength);
}

// The angle of the rotation that leads from one to the other, in degrees.
Tensor rotation_angle(const Tensor& preds, const Tensor& targets, bool as_quaternion) {
  Tensor trace = (rotation(preds, as_quaternion) * rotation(targets, as_quaternion)).sum({-2, -1});
  return ((trace - 1) / 2).clamp(-1, 1).acos() * kDegrees;
}

Tensor cosine(const Tensor& preds, const Tensor& targets, bool as_quaternion) {
  return (direction(preds, as_quaternion) * direction(targets, as_quaternion)).sum(-1);
}

}  // namespace

AverageState RelativeRotationError::get_state(Float<"*B T x y"> preds,
                                              Float<"*B T x y"> targets) const {
  Tensor angle = rotation_angle(preds, targets, rotation_as_quaternion);
  return AverageState::from_values(mode == AngleMode::accuracy ? angle < threshold_degs : angle);
}

AverageState RelativeTranslationError::get_state(Float<"*B T x y"> preds,
                                                 Float<"*B T x y"> targets) const {
  Tensor cos = cosine(preds, targets, rotation_as_quaternion);
  if (mode == AngleMode::similarity) return AverageState::from_values(cos);
  Tensor angle = cos.acos() * kDegrees;
  return AverageState::from_values(mode == AngleMode::accuracy ? angle < threshold_degs : angle);
}

AverageState PoseEndPointError::get_state(Float<"*B T 3 4"> preds,
                                          Float<"*B T 3 4"> targets) const {
  // The corners of a box from -5 to 5 across and from 0 to 10 ahead.
  std::vector<float> corners;
  for (float x : {-5.f, 5.f}) {
    for (float y : {-5.f, 5.f}) {
      for (float z : {0.f, 10.f}) corners.insert(corners.end(), {x, y, z, 1});
    }
  }
  Tensor points = at::tensor(corners).view({-1, 4}).t().to(preds.scalar_type());
  Tensor apart = Tensor(targets - preds).matmul(points);
  return AverageState::from_values(apart.square().sum(-2).sqrt().mean(-1));
}

AverageState PoseMeanAverageAccuracy::get_state(Float<"B T x y"> preds,
                                                Float<"B T x y"> targets) const {
  if (threshold < 1) throw Error(ErrorKind::value, "threshold: it must be 1 or more");
  Tensor error = at::maximum(rotation_angle(preds, targets, rotation_as_quaternion),
                             cosine(preds, targets, rotation_as_quaternion).acos() * kDegrees);
  // Bins of equal width; the last one includes the threshold.
  double width = threshold / (threshold + 1.0);
  Tensor ends = at::arange(1, threshold + 1, error.options()) * width;
  Tensor below = (error.unsqueeze(-1) < ends).to(at::kFloat).sum(-1);
  Tensor last = (error <= threshold).to(at::kFloat);
  return AverageState::from_values(((below + last) / (threshold + 1.0)).mean(-1));
}

}  // namespace kd::metrics::contrib
