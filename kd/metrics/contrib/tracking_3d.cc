// Metrics of point tracks in space. Koppula et al., 2024.
#include <ATen/ops/arange.h>
#include <ATen/ops/nanquantile.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "kd/metrics/contrib/tracking_impl.h"
#include "kd/metrics/contrib/video.h"
#include "kd/metrics/engine/metric.h"

namespace kd::metrics::contrib {

using detail::kLeast;
using detail::Setting;
using konfig::Error;
using konfig::ErrorKind;

namespace {

using MaybeTensor = std::optional<Tensor>;

Tensor length(const Tensor& x) { return x.square().sum(-1).clamp_min(1e-12).sqrt(); }

// The median over queries and times of where `counted`, as (..., 1, 1).
Tensor median(const Tensor& x, const Tensor& counted) {
  Tensor all = x.masked_fill(counted.logical_not(), std::numeric_limits<float>::quiet_NaN());
  return at::nanquantile(all.flatten(-2), 0.5, -1).unsqueeze(-1).unsqueeze(-1);
}

// (..., T, Q): the depth of points (..., T, Q, 2), of depths (..., T, H, W, 1).
Tensor depth_at(const Tensor& depths, const Tensor& points, bool normalized) {
  Tensor depth = depths.squeeze(-1).flatten(0, -3);  // (n, H, W)
  Tensor at_points = points.flatten(0, -3);          // (n, Q, 2)
  std::int64_t height = depth.size(1), width = depth.size(2);
  auto index = [&](int axis, std::int64_t size) {
    Tensor x = at_points.select(-1, axis);
    if (normalized) x = x * size;
    return x.to(at::kLong).clamp(0, size - 1);
  };
  Tensor flat = index(1, height) * width + index(0, width);
  return depth.flatten(1).gather(1, flat).view(points.sizes().slice(0, points.dim() - 1));
}

// Of both metrics: queries come before times.
struct Tracks {
  Setting setting;
  Tensor pred, right;      // (..., Q, T, 3)
  Tensor said, seen, all;  // (..., Q, T): predicted and truly visible, those that count
  Tensor pixel;            // (..., Q, T): the size of a pixel at the depth of the point

  // (..., Q, T): points nearer than a threshold.
  Tensor within(double threshold, bool fixed) const {
    Tensor distance = (pred - right).square().sum(-1);
    if (!fixed) return distance < (pixel * threshold).square();
    constexpr std::array kPixels = {1., 2., 4., 8., 16.};
    if (std::find(kPixels.begin(), kPixels.end(), threshold) == kPixels.end()) {
      throw Error(ErrorKind::value,
                  "thresholds: fixed ones are 1, 2, 4, 8 and 16, not " + std::to_string(threshold));
    }
    double metres = 0.01 * threshold * threshold;
    return distance < metres * metres;
  }
};

template <class Metric>
Tensor from_offline_depth(const Metric& metric, const MaybeTensor& gt_tracks_2d,
                          const MaybeTensor& pred_tracks_2d, const MaybeTensor& depths,
                          const Tensor& intrinsics) {
  bool right = metric.use_gt_tracks_for_indexing_into_offline_depth_predictions;
  const MaybeTensor& tracks = right ? gt_tracks_2d : pred_tracks_2d;
  if (metric.axis_order != AxisOrder::BTQC) {
    throw Error(ErrorKind::value, "use_offline_depth_predictions: axis_order must be BTQC");
  }
  if (!tracks || !depths) {
    throw Error(
        ErrorKind::value,
        std::string("use_offline_depth_predictions: the keys offline_depth_predictions and ") +
            (right ? "gt_tracks_2d" : "pred_tracks_2d") + " are needed");
  }
  bool dense = depths->dim() == tracks->dim() + 1;
  Tensor depth =
      dense ? depth_at(*depths, *tracks, metric.use_normalized_coordinates) : depths->squeeze(-1);
  auto camera = [&](int i) { return intrinsics.select(-1, i).unsqueeze(-1).unsqueeze(-1); };
  Tensor x = (tracks->select(-1, 0) - camera(2)) * depth / camera(0);
  Tensor y = (tracks->select(-1, 1) - camera(3)) * depth / camera(1);
  return at::stack({x, y, depth}, -1);
}

template <class Metric>
Tracks tracks_of(const Metric& metric, const Tensor& pred_tracks, const Tensor& pred_visible,
                 const Tensor& gt_tracks, const Tensor& gt_visible, const MaybeTensor& mask,
                 const Tensor& intrinsics, const MaybeTensor& gt_tracks_2d,
                 const MaybeTensor& pred_tracks_2d, const MaybeTensor& depths) {
  if (metric.thresholds.empty()) throw Error(ErrorKind::value, "thresholds: there is none");
  Tracks out{.setting = {metric.query_mode, metric.axis_order, mask, {}, {}}};
  const Setting& s = out.setting;
  out.right = s.tracks(gt_tracks);
  out.pred =
      s.tracks(!metric.use_offline_depth_predictions
                   ? pred_tracks
                   : from_offline_depth(metric, gt_tracks_2d, pred_tracks_2d, depths, intrinsics));
  out.said = s.visible(pred_visible);
  out.seen = s.visible(gt_visible);
  out.all = s.counted(out.seen);
  Tensor depth = out.right.select(-1, 2);
  if (metric.depth_scaling == DepthScaling::median) {
    Tensor both = out.said.logical_and(out.seen);
    out.pred =
        out.pred * (median(length(out.right), both) / median(length(out.pred), both)).unsqueeze(-1);
  } else {
    out.pred = out.pred * (depth / out.pred.select(-1, 2)).unsqueeze(-1);
  }
  Tensor focal = (intrinsics.select(-1, 0) * intrinsics.select(-1, 1)).sqrt();
  if (metric.use_normalized_coordinates) {
    auto [height, width] = metric.track_max_resolution;
    focal = focal * std::sqrt(static_cast<double>(height) * width);
  }
  out.pixel = depth / focal.unsqueeze(-1).unsqueeze(-1);
  return out;
}

}  // namespace

AverageState Tap3DPositionAccuracy::get_state(
    Float<"*B M N 3"> pred_tracks, Array<"*B M N 1"> pred_visible, Float<"*B M N 3"> gt_tracks,
    Array<"*B M N 1"> gt_visible, std::optional<Array<"*B M N">> evaluation_mask,
    Float<"*B 4"> intrinsics, std::optional<Float<"*B M N 2">> gt_tracks_2d,
    std::optional<Float<"*B M N 2">> pred_tracks_2d,
    std::optional<Float<"...">> offline_depth_predictions) const {
  Tracks t = tracks_of(*this, pred_tracks, pred_visible, gt_tracks, gt_visible, evaluation_mask,
                       intrinsics, gt_tracks_2d, pred_tracks_2d, offline_depth_predictions);
  Tensor visible = t.seen.logical_and(t.all);
  std::vector<Tensor> each;
  for (double threshold : thresholds) {
    Tensor hit = t.within(threshold, use_fixed_metric_threshold).logical_and(visible);
    each.push_back(t.setting.count(hit) / (t.setting.count(visible) + kLeast));
  }
  return AverageState::from_values(at::stack(each, -1).mean(-1));
}

AverageState Tap3DAverageJaccard::get_state(
    Float<"*B M N 3"> pred_tracks, Array<"*B M N 1"> pred_visible, Float<"*B M N 3"> gt_tracks,
    Array<"*B M N 1"> gt_visible, std::optional<Array<"*B M N">> evaluation_mask,
    Float<"*B 4"> intrinsics, std::optional<Float<"*B M N 2">> gt_tracks_2d,
    std::optional<Float<"*B M N 2">> pred_tracks_2d,
    std::optional<Float<"...">> offline_depth_predictions) const {
  Tracks t = tracks_of(*this, pred_tracks, pred_visible, gt_tracks, gt_visible, evaluation_mask,
                       intrinsics, gt_tracks_2d, pred_tracks_2d, offline_depth_predictions);
  Tensor said = t.said.logical_and(t.all), positives = t.seen.logical_and(t.all);
  std::vector<Tensor> each;
  for (double threshold : thresholds) {
    Tensor hit = t.within(threshold, use_fixed_metric_threshold).logical_and(t.seen);
    Tensor wrong = t.setting.count(said.logical_and(hit.logical_not()));
    each.push_back(t.setting.count(said.logical_and(hit)) /
                   (t.setting.count(positives) + wrong + kLeast));
  }
  return AverageState::from_values(at::stack(each, -1).mean(-1));
}

}  // namespace kd::metrics::contrib
