// Transforms of camera poses, as in the reference's contrib. A pose is a rotation and a
// translation, (3, 4); a quaternion has its real part last.
#pragma once

#include "kd/data/transforms/transforms.h"

namespace kd::data::contrib {

// Poses of TartanAir, translation and quaternion (t, 7) in north, east, down, as (t, 3, 4) in the
// axes of OpenCV.
struct TartanPoseToRT {
  Required<ElementKey> key;  // the elements: (t, 7)

  Tensor map_element(const Tensor& element) const;
};

// Poses (t, 3, 4) relative to those of other frames.
struct RelativePoses {
  Required<ElementKey> key;  // the elements
  // From one frame to the next that is used. -1: all pairs of frames, (t t, 3, 4), target by
  // target; those of a frame with itself do not move.
  Required<int> stride;
  bool normalize_translation = false;          // translations of length 1
  bool cam_to_world_poses = true;              // false: poses lead from the world to the camera
  bool relative_to_first_frame = false;        // false: to the frame before
  bool input_rotation_as_quaternion = false;   // elements are (t, 7, 1): quaternion, translation
  bool output_rotation_as_quaternion = false;  // the result is (t, 7, 1)

  void check() const;
  Tensor map_element(const Tensor& element) const;
};

}  // namespace kd::data::contrib

KONFIG_COMPONENT(kd::Transform, kd::data::contrib::TartanPoseToRT,
                 "kauldron.contrib.data:TartanPoseToRT", "kauldron.kd:contrib.data.TartanPoseToRT");
KONFIG_COMPONENT(kd::Transform, kd::data::contrib::RelativePoses,
                 "kauldron.contrib.data:RelativePoses", "kauldron.kd:contrib.data.RelativePoses");
