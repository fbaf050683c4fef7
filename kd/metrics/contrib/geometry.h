// Further metrics, of point tracks and camera poses.
#pragma once

#include <optional>
#include <vector>

#include "kd/core/interfaces.h"
#include "kd/typing/typing_fwd.h"

namespace kd::metrics {
struct AverageState;
}

namespace kd::metrics::contrib {

struct MeanState;

// Which frames count: those after the query frame, or all but it.
enum class QueryMode { first, strided };
// Whether queries or times come first.
enum class AxisOrder { BQTC, BTQC };

// How often a tracked point is rightly said to be visible.
struct TapOcclusionAccuracy {
  Key pred_visible = Key::required();         // what the model says; not 0: visible
  Key gt_visible = Key::required();           // what it should say
  std::optional<Key> evaluation_mask = {};    // which points count; else by query_mode
  std::optional<Key> query_frame = {};        // frame of each query; else the first
  std::optional<Key> query_mask = {};         // weights of the queries
  QueryMode query_mode = QueryMode::strided;  // which frames count
  AxisOrder axis_order = AxisOrder::BQTC;     // of the inputs
  MeanState get_state(Float<"*B M N 1"> pred_visible, Float<"*B M N 1"> gt_visible,
                      std::optional<Float<"*B M N">> evaluation_mask,
                      std::optional<Float<"*B Q">> query_frame,
                      std::optional<Float<"*B Q">> query_mask) const;
};

// Fraction of visible points that are tracked to within a distance; the mean over distances.
struct TapPositionAccuracy {
  Key pred_tracks = Key::required();          // where the model says that points are
  Key gt_tracks = Key::required();            // where they are
  Key gt_visible = Key::required();           // not 0: visible
  std::optional<Key> evaluation_mask = {};    // which points count; else by query_mode
  std::optional<Key> query_frame = {};        // frame of each query; else the first
  std::optional<Key> query_mask = {};         // weights of the queries
  QueryMode query_mode = QueryMode::strided;  // which frames count
  AxisOrder axis_order = AxisOrder::BQTC;     // of the inputs
  // Of the distance, in parts of the image.
  std::vector<double> thresholds = {1. / 256, 2. / 256, 4. / 256, 8. / 256, 16. / 256};
  MeanState get_state(Float<"*B M N 2"> pred_tracks, Float<"*B M N 2"> gt_tracks,
                      Float<"*B M N 1"> gt_visible, std::optional<Float<"*B M N">> evaluation_mask,
                      std::optional<Float<"*B Q">> query_frame,
                      std::optional<Float<"*B Q">> query_mask) const;
};

// Jaccard index of points that are visible and near enough; the mean over distances.
struct TapAverageJaccard {
  Key pred_tracks = Key::required();          // where the model says that points are
  Key pred_visible = Key::required();         // whether it says that they are visible
  Key gt_tracks = Key::required();            // where they are
  Key gt_visible = Key::required();           // not 0: visible
  std::optional<Key> evaluation_mask = {};    // which points count; else by query_mode
  std::optional<Key> query_frame = {};        // frame of each query; else the first
  std::optional<Key> query_mask = {};         // weights of the queries
  QueryMode query_mode = QueryMode::strided;  // which frames count
  AxisOrder axis_order = AxisOrder::BQTC;     // of the inputs
  // Of the distance, in parts of the image.
  std::vector<double> thresholds = {1. / 256, 2. / 256, 4. / 256, 8. / 256, 16. / 256};
  MeanState get_state(Float<"*B M N 2"> pred_tracks, Float<"*B M N 1"> pred_visible,
                      Float<"*B M N 2"> gt_tracks, Array<"*B M N 1"> gt_visible,
                      std::optional<Float<"*B M N">> evaluation_mask,
                      std::optional<Float<"*B Q">> query_frame,
                      std::optional<Float<"*B Q">> query_mask) const;
};

// What is reported of angles: their mean in degrees, how many are below a threshold, or the cosine.
enum class AngleMode { mean, accuracy, similarity };

// Angle between predicted and right rotations, of poses (..., 3 or 4, 4) or quaternions.
struct RelativeRotationError {
  Key preds = Key::required();           // poses of the model
  Key targets = Key::required();         // the right poses
  AngleMode mode = AngleMode::accuracy;  // mean or accuracy
  double threshold_degs = 15.0;          // for accuracy
  bool rotation_as_quaternion = false;   // poses are (x, y, z, w, translation), last axis 1
  AverageState get_state(Float<"*B T x y"> preds, Float<"*B T x y"> targets) const;
};

// Angle between predicted and right translations.
struct RelativeTranslationError {
  Key preds = Key::required();           // poses of the model
  Key targets = Key::required();         // the right poses
  AngleMode mode = AngleMode::accuracy;  // mean, accuracy or similarity
  double threshold_degs = 15.0;          // for accuracy
  bool rotation_as_quaternion = false;   // poses are (x, y, z, w, translation), last axis 1
  AverageState get_state(Float<"*B T x y"> preds, Float<"*B T x y"> targets) const;
};

// Mean distance of the corners of a box of 10 x 10 x 10 under predicted and right poses.
struct PoseEndPointError {
  Key preds = Key::required();    // poses of the model
  Key targets = Key::required();  // the right poses
  AverageState get_state(Float<"*B T 3 4"> preds, Float<"*B T 3 4"> targets) const;
};

// Area under the curve of accuracy over thresholds, for the larger of rotation and translation
// error.
struct PoseMeanAverageAccuracy {
  Key preds = Key::required();          // poses of the model
  Key targets = Key::required();        // the right poses
  int threshold = 30;                   // largest threshold in degrees
  bool rotation_as_quaternion = false;  // poses are (x, y, z, w, translation), last axis 1
  AverageState get_state(Float<"B T x y"> preds, Float<"B T x y"> targets) const;
};

}  // namespace kd::metrics::contrib

KONFIG_COMPONENT(kd::Metric, kd::metrics::contrib::TapOcclusionAccuracy,
                 "kauldron.contrib.metrics:TapOcclusionAccuracy",
                 "kauldron.kd:contrib.metrics.TapOcclusionAccuracy");
KONFIG_COMPONENT(kd::Metric, kd::metrics::contrib::TapPositionAccuracy,
                 "kauldron.contrib.metrics:TapPositionAccuracy",
                 "kauldron.kd:contrib.metrics.TapPositionAccuracy");
KONFIG_COMPONENT(kd::Metric, kd::metrics::contrib::TapAverageJaccard,
                 "kauldron.contrib.metrics:TapAverageJaccard",
                 "kauldron.kd:contrib.metrics.TapAverageJaccard");
KONFIG_COMPONENT(kd::Metric, kd::metrics::contrib::RelativeRotationError,
                 "kauldron.contrib.metrics:RelativeRotationError",
                 "kauldron.kd:contrib.metrics.RelativeRotationError");
KONFIG_COMPONENT(kd::Metric, kd::metrics::contrib::RelativeTranslationError,
                 "kauldron.contrib.metrics:RelativeTranslationError",
                 "kauldron.kd:contrib.metrics.RelativeTranslationError");
KONFIG_COMPONENT(kd::Metric, kd::metrics::contrib::PoseEndPointError,
                 "kauldron.contrib.metrics:PoseEndPointError",
                 "kauldron.kd:contrib.metrics.PoseEndPointError");
KONFIG_COMPONENT(kd::Metric, kd::metrics::contrib::PoseMeanAverageAccuracy,
                 "kauldron.contrib.metrics:PoseMeanAverageAccuracy",
                 "kauldron.kd:contrib.metrics.PoseMeanAverageAccuracy");
