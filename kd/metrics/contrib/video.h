// Further metrics, of point tracks in space and of segmented videos.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "kd/metrics/contrib/geometry.h"

namespace kd::metrics::contrib {

// How predicted tracks get the scale of the right ones: by the ratio of the median distances, or
// every point by the ratio of depths.
enum class DepthScaling { median, reproduce_2d };

// Fraction of visible points that are tracked to within a distance in space; the mean over
// distances.
struct Tap3DPositionAccuracy {
  Key pred_tracks = Key::required();                  // where the model says that points are
  Key pred_visible = Key::required();                 // whether it says that they are visible
  Key gt_tracks = Key::required();                    // where they are, in the camera's space
  Key gt_visible = Key::required();                   // not 0: visible
  std::optional<Key> evaluation_mask = {};            // which points count; else by query_mode
  Key intrinsics = Key::required();                   // of the camera: (fx, fy, cx, cy)
  std::optional<Key> gt_tracks_2d = {};               // where points are in the image
  std::optional<Key> pred_tracks_2d = {};             // where the model says they are in it
  std::optional<Key> offline_depth_predictions = {};  // of each pixel or of each point
  DepthScaling depth_scaling = DepthScaling::median;  // how predictions get the right scale
  QueryMode query_mode = QueryMode::strided;          // which frames count
  AxisOrder axis_order = AxisOrder::BQTC;             // of the inputs
  bool use_fixed_metric_threshold = false;            // distances of space, not of the image
  std::vector<double> thresholds = {1, 2, 4, 8, 16};  // in pixels, at the depth of the point
  bool use_offline_depth_predictions = false;         // tracks from these depths; needs BTQC
  bool use_gt_tracks_for_indexing_into_offline_depth_predictions = false;  // which 2-D tracks
  std::pair<int, int> track_max_resolution = {256, 256};  // height and width of the image
  bool use_normalized_coordinates = false;                // intrinsics and 2-D tracks are in 0..1
  AverageState get_state(Float<"*B M N 3"> pred_tracks, Array<"*B M N 1"> pred_visible,
                         Float<"*B M N 3"> gt_tracks, Array<"*B M N 1"> gt_visible,
                         std::optional<Array<"*B M N">> evaluation_mask, Float<"*B 4"> intrinsics,
                         std::optional<Float<"*B M N 2">> gt_tracks_2d,
                         std::optional<Float<"*B M N 2">> pred_tracks_2d,
                         std::optional<Float<"...">> offline_depth_predictions) const;
};

// Jaccard index of points that are visible and near enough in space; the mean over distances.
struct Tap3DAverageJaccard {
  Key pred_tracks = Key::required();                  // where the model says that points are
  Key pred_visible = Key::required();                 // whether it says that they are visible
  Key gt_tracks = Key::required();                    // where they are, in the camera's space
  Key gt_visible = Key::required();                   // not 0: visible
  std::optional<Key> evaluation_mask = {};            // which points count; else by query_mode
  Key intrinsics = Key::required();                   // of the camera: (fx, fy, cx, cy)
  std::optional<Key> gt_tracks_2d = {};               // where points are in the image
  std::optional<Key> pred_tracks_2d = {};             // where the model says they are in it
  std::optional<Key> offline_depth_predictions = {};  // of each pixel or of each point
  DepthScaling depth_scaling = DepthScaling::median;  // how predictions get the right scale
  QueryMode query_mode = QueryMode::strided;          // which frames count
  AxisOrder axis_order = AxisOrder::BQTC;             // of the inputs
  bool use_fixed_metric_threshold = false;            // distances of space, not of the image
  std::vector<double> thresholds = {1, 2, 4, 8, 16};  // in pixels, at the depth of the point
  bool use_offline_depth_predictions = false;         // tracks from these depths; needs BTQC
  bool use_gt_tracks_for_indexing_into_offline_depth_predictions = false;  // which 2-D tracks
  std::pair<int, int> track_max_resolution = {256, 256};  // height and width of the image
  bool use_normalized_coordinates = false;                // intrinsics and 2-D tracks are in 0..1
  AverageState get_state(Float<"*B M N 3"> pred_tracks, Array<"*B M N 1"> pred_visible,
                         Float<"*B M N 3"> gt_tracks, Array<"*B M N 1"> gt_visible,
                         std::optional<Array<"*B M N">> evaluation_mask, Float<"*B 4"> intrinsics,
                         std::optional<Float<"*B M N 2">> gt_tracks_2d,
                         std::optional<Float<"*B M N 2">> pred_tracks_2d,
                         std::optional<Float<"...">> offline_depth_predictions) const;
};

// Intersection over union of objects, whose first segmentation is carried on from frame to frame by
// the similarity of features. The first and the last frame do not count.
struct SegmentationJaccard {
  Key features = Key::required();               // of each patch of each frame
  Key gt_segmentations = Key::required();       // the object of each pixel; 0: background
  std::pair<int, int> patch_size = {16, 16};    // height and width of a patch
  int n_max_class = 10;                         // objects are smaller than this
  std::pair<int, int> resolution = {480, 880};  // of the images that the features are made of
  AverageState get_state(Float<"*b t k d"> features, Float<"*b t H W"> gt_segmentations) const;
};

}  // namespace kd::metrics::contrib

KONFIG_COMPONENT(kd::Metric, kd::metrics::contrib::Tap3DPositionAccuracy,
                 "kauldron.contrib.metrics:Tap3DPositionAccuracy",
                 "kauldron.kd:contrib.metrics.Tap3DPositionAccuracy");
KONFIG_COMPONENT(kd::Metric, kd::metrics::contrib::Tap3DAverageJaccard,
                 "kauldron.contrib.metrics:Tap3DAverageJaccard",
                 "kauldron.kd:contrib.metrics.Tap3DAverageJaccard");
KONFIG_COMPONENT(kd::Metric, kd::metrics::contrib::SegmentationJaccard,
                 "kauldron.contrib.metrics:SegmentationJaccard",
                 "kauldron.kd:contrib.metrics.SegmentationJaccard");
