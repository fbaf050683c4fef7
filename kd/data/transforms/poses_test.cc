// Camera poses.
#include "kd/data/transforms/transforms_poses.h"

#include <ATen/ops/allclose.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kd/data/engine/transform.h"
#include "konfig/expect_test.h"

namespace kd::data::contrib {
namespace {

using konfig::error_of;
using ::testing::HasSubstr;

Tensor numbers(const std::vector<double>& values, std::vector<std::int64_t> shape) {
  return at::tensor(values, at::kFloat).reshape(shape);
}
bool close(const Tensor& a, const Tensor& b) {
  return a.sizes() == b.sizes() && at::allclose(a, b, 1e-5, 1e-6);
}

// A quarter turn about z, and a shift.
const std::vector<double> kTurned = {0, -1, 0, 1, 1, 0, 0, 2, 0, 0, 1, 3};
const std::vector<double> kStill = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

TEST(Poses, TartanAirToOpenCv) {
  // No rotation: only the axes change.
  const Tensor still = numbers({1, 2, 3, 0, 0, 0, 1}, {1, 7});
  const TartanPoseToRT transform{.key = "pose"};
  EXPECT_TRUE(close(transform.map_element(still),
                    numbers({0, 0, 1, 1, 1, 0, 0, 2, 0, 1, 0, 3}, {1, 3, 4})));
  EXPECT_THAT(error_of([&] { transform.map_element(still.squeeze(0)); }),
              HasSubstr("expected poses of the shape (t, 7), got (7,)"));
}

TEST(Poses, RelativeToOtherFrames) {
  const Tensor poses =
      at::stack({numbers(kStill, {3, 4}), numbers(kTurned, {3, 4}), numbers(kStill, {3, 4})});
  // Back: the rotation is undone, the shift turned and negated.
  const Tensor back = numbers({0, 1, 0, -2, -1, 0, 0, 1, 0, 0, 1, -3}, {3, 4});
  const Tensor there = numbers(kTurned, {3, 4}), still = numbers(kStill, {3, 4});
  EXPECT_TRUE(close(RelativePoses{.key = "pose", .stride = 1}.map_element(poses),
                    at::stack({there, back})));
  EXPECT_TRUE(
      close(RelativePoses{.key = "pose", .stride = 2}.map_element(poses), at::stack({still})));
  EXPECT_TRUE(close(
      RelativePoses{.key = "pose", .stride = 1, .relative_to_first_frame = true}.map_element(poses),
      poses));
  EXPECT_TRUE(close(
      RelativePoses{.key = "pose", .stride = 1, .cam_to_world_poses = false}.map_element(poses),
      at::stack({back, there})));
  // Row by row the target, within it the source.
  EXPECT_TRUE(close(RelativePoses{.key = "pose", .stride = -1}.map_element(poses),
                    at::stack({still, back, still, there, still, there, still, back, still})));
  const Tensor shift =
      RelativePoses{.key = "pose", .stride = 1, .normalize_translation = true}.map_element(poses);
  EXPECT_NEAR(shift.select(-1, 3).norm(2, {-1}).min().item<double>(), 1, 1e-5);
}

TEST(Poses, AsQuaternions) {
  const double half = std::sqrt(0.5);
  const Tensor poses = numbers({0, 0, 0, 1, 0, 0, 0, 0, 0, half, half, 1, 2, 3}, {2, 7, 1});
  const RelativePoses matrices{.key = "pose", .stride = 1, .input_rotation_as_quaternion = true};
  EXPECT_TRUE(close(matrices.map_element(poses), numbers(kTurned, {1, 3, 4})));
  RelativePoses quaternions = matrices;
  quaternions.output_rotation_as_quaternion = true;
  EXPECT_TRUE(close(quaternions.map_element(poses), poses.narrow(0, 1, 1)));
  quaternions.stride = -1;
  EXPECT_TRUE(close(quaternions.map_element(poses)[0], poses[0]));
  // Half turns about each axis: the real part is 0.
  for (int axis = 0; axis < 3; ++axis) {
    Tensor both = numbers({0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, {2, 7, 1});
    both[1][axis][0] = 1;
    quaternions.stride = 1;
    EXPECT_TRUE(close(quaternions.map_element(both), both.narrow(0, 1, 1))) << axis;
  }
  EXPECT_THAT(error_of([&] { RelativePoses{.key = "pose", .stride = 0}.check(); }),
              HasSubstr("stride"));
}

}  // namespace
}  // namespace kd::data::contrib
