// Camera poses.
#include "kd/data/transforms/transforms_poses.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/where.h>

#include "base/shape_text.h"
#include "kd/data/engine/transform.h"
#include "kd/data/transforms/contrib_impl.h"

namespace kd::data::contrib {

namespace {

void check_shape(const Tensor& element, at::IntArrayRef last, const char* shape) {
  if (element.dim() == static_cast<std::int64_t>(last.size()) + 1 &&
      element.sizes().slice(1) == last) {
    return;
  }
  throw Error(ErrorKind::value, std::string("expected poses of the shape ") + shape + ", got " +
                                    base::tuple_text(element.sizes()));
}

// (t, 4) to (t, 3, 3).
Tensor rotation_of(const Tensor& quaternion) {
  const auto part = quaternion.unbind(-1);
  const Tensor &x = part[0], &y = part[1], &z = part[2], &w = part[3];
  const Tensor rows[] = {
      at::stack({1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)}, -1),
      at::stack({2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)}, -1),
      at::stack({2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}, -1)};
  return at::stack({rows[0], rows[1], rows[2]}, -2);
}

// (t, 3, 3) to (t, 4). Divides by the largest of the four parts, so never by one near zero.
Tensor quaternion_of(const Tensor& rotation) {
  auto m = [&](int row, int column) { return rotation.select(-2, row).select(-1, column); };
  const Tensor x = m(2, 1) - m(1, 2), y = m(0, 2) - m(2, 0), z = m(1, 0) - m(0, 1);
  const Tensor xy = m(0, 1) + m(1, 0), xz = m(0, 2) + m(2, 0), yz = m(1, 2) + m(2, 1);
  // Twice a part, from the diagonal.
  auto twice = [&](double a, double b, double c) {
    return (1 + a * m(0, 0) + b * m(1, 1) + c * m(2, 2)).clamp_min(0).sqrt();
  };
  auto of = [](const Tensor& size, const Tensor& a, const Tensor& b, const Tensor& c,
               const Tensor& d) {
    return at::stack({a, b, c, d}, -1) / (2 * size).unsqueeze(-1);
  };
  const Tensor w2 = twice(1, 1, 1), x2 = twice(1, -1, -1), y2 = twice(-1, 1, -1),
               z2 = twice(-1, -1, 1);
  const Tensor by_w = of(w2, x, y, z, w2 * w2), by_x = of(x2, x2 * x2, xy, xz, x),
               by_y = of(y2, xy, y2 * y2, yz, y), by_z = of(z2, xz, yz, z2 * z2, z);
  auto either = [](const Tensor& first, const Tensor& a, const Tensor& b) {
    return at::where(first.unsqueeze(-1), a, b);
  };
  const Tensor trace = m(0, 0) + m(1, 1) + m(2, 2);
  const Tensor x_first = m(0, 0).gt(m(1, 1)).logical_and(m(0, 0).gt(m(2, 2)));
  return either(trace > 0, by_w, either(x_first, by_x, either(m(1, 1) > m(2, 2), by_y, by_z)));
}

Tensor rotations(const Tensor& poses) { return poses.narrow(-1, 0, 3); }
Tensor translations(const Tensor& poses) { return poses.narrow(-1, 3, 1); }

Tensor inverse(const Tensor& poses) {
  const Tensor back = rotations(poses).transpose(-1, -2);
  return at::cat({back, -at::matmul(back, translations(poses))}, -1);
}

}  // namespace

Tensor TartanPoseToRT::map_element(const Tensor& element) const {
  check_shape(element, {7}, "(t, 7)");
  const Tensor rotation = rotation_of(element.narrow(-1, 3, 4));
  return at::cat({detail::take(rotation, 2, {1, 2, 0}), element.narrow(-1, 0, 3).unsqueeze(-1)},
                 -1);
}

void RelativePoses::check() const {
  if (*stride == -1) return;
  detail::check_positive(*stride, "stride");
}

Tensor RelativePoses::map_element(const Tensor& element) const {
  Tensor poses = element;
  if (input_rotation_as_quaternion) {
    check_shape(element, {7, 1}, "(t, 7, 1)");
    const Tensor rotation = rotation_of(element.narrow(1, 0, 4).squeeze(-1));
    poses = at::cat({rotation, element.narrow(1, 4, 3)}, -1);
  }
  check_shape(poses, {3, 4}, "(t, 3, 4)");
  const std::int64_t n = poses.size(0);
  const bool pairs = *stride == -1;
  Tensor source, target;
  if (pairs) {
    source = poses.unsqueeze(0).expand({n, n, 3, 4}).reshape({-1, 3, 4});
    target = poses.unsqueeze(1).expand({n, n, 3, 4}).reshape({-1, 3, 4});
  } else {
    poses = poses.slice(0, 0, n, *stride);
    source = relative_to_first_frame ? poses.slice(0, 0, 1) : poses.slice(0, 0, -1);
    target = relative_to_first_frame ? poses : poses.slice(0, 1);
  }
  const Tensor left = cam_to_world_poses ? inverse(source) : source;
  const Tensor right = cam_to_world_poses ? target : inverse(target);
  const Tensor rotation = at::matmul(rotations(left), rotations(right));
  Tensor translation = at::matmul(rotations(left), translations(right)) + translations(left);
  if (normalize_translation) {
    translation = translation / (translation.norm(2, {-2}, /*keepdim=*/true) + 1e-7);
  }
  Tensor out = output_rotation_as_quaternion
                   ? at::cat({quaternion_of(rotation).unsqueeze(-1), translation}, -2)
                   : at::cat({rotation, translation}, -1);
  if (!pairs) return out;
  const Tensor self = at::eye(n, at::kBool).reshape({-1, 1, 1});
  const Tensor still = output_rotation_as_quaternion
                           ? at::tensor({0, 0, 0, 1, 0, 0, 0}, out.options()).unsqueeze(-1)
                           : at::eye(3, 4, out.options());
  return at::where(self, still, out);
}

}  // namespace kd::data::contrib
