// Metrics of point tracks. Doersch et al., 2022.
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

#include "kd/metrics/contrib/geometry.h"
#include "kd/metrics/contrib/tracking_impl.h"
#include "kd/metrics/engine/contrib_states.h"
#include "kd/metrics/engine/metric.h"
#include "kd/metrics/engine/reduce.h"

namespace kd::metrics::contrib {

using konfig::Error;
using konfig::ErrorKind;

using detail::kLeast;
using detail::Setting;

Tensor MeanState::compute() const {
  if (values.empty()) return at::zeros({0}).mean();
  const Tensor mask = masks.tensor().reshape(-1);
  return sum_over(values.tensor().reshape(-1) * mask, {0}) / sum_over(mask, {0}).clamp_min(kLeast);
}

namespace {

Tensor within(const Tensor& a, const Tensor& b, double distance) {
  return (a - b).square().sum(-1) < distance * distance;
}

// Of each example; one of which nothing counts is padding and left out.
MeanState state_of(const Tensor& values, const Tensor& count) {
  return {.values = values, .masks = count.gt(0).to(at::kFloat)};
}

// Over distances. `count` is that of the last one.
MeanState mean_of(const std::vector<Tensor>& each, const Tensor& count) {
  if (each.empty()) throw Error(ErrorKind::value, "thresholds: there is none");
  return state_of(at::stack(each, -1).mean(-1), count);
}

}  // namespace

MeanState TapOcclusionAccuracy::get_state(Float<"*B M N 1"> pred_visible,
                                          Float<"*B M N 1"> gt_visible,
                                          std::optional<Float<"*B M N">> evaluation_mask,
                                          std::optional<Float<"*B Q">> query_frame,
                                          std::optional<Float<"*B Q">> query_mask) const {
  Setting s{query_mode, axis_order, evaluation_mask, query_frame, query_mask};
  Tensor pred = s.visible(pred_visible), right = s.visible(gt_visible), all = s.counted(right);
  Tensor count = s.count(all);
  return state_of(s.count((pred == right).logical_and(all)) / (count + kLeast), count);
}

MeanState TapPositionAccuracy::get_state(Float<"*B M N 2"> pred_tracks, Float<"*B M N 2"> gt_tracks,
                                         Float<"*B M N 1"> gt_visible,
                                         std::optional<Float<"*B M N">> evaluation_mask,
                                         std::optional<Float<"*B Q">> query_frame,
                                         std::optional<Float<"*B Q">> query_mask) const {
  Setting s{query_mode, axis_order, evaluation_mask, query_frame, query_mask};
  Tensor pred = s.tracks(pred_tracks), right = s.tracks(gt_tracks);
  Tensor visible = s.visible(gt_visible);
  visible = visible.logical_and(s.counted(visible));
  const Tensor count = s.count(visible);
  std::vector<Tensor> each;
  for (double distance : thresholds) {
    Tensor near = within(pred, right, distance).logical_and(visible);
    each.push_back(s.count(near) / (count + kLeast));
  }
  return mean_of(each, count);
}

MeanState TapAverageJaccard::get_state(Float<"*B M N 2"> pred_tracks,
                                       Float<"*B M N 1"> pred_visible, Float<"*B M N 2"> gt_tracks,
                                       Array<"*B M N 1"> gt_visible,
                                       std::optional<Float<"*B M N">> evaluation_mask,
                                       std::optional<Float<"*B Q">> query_frame,
                                       std::optional<Float<"*B Q">> query_mask) const {
  Setting s{query_mode, axis_order, evaluation_mask, query_frame, query_mask};
  Tensor pred = s.tracks(pred_tracks), right = s.tracks(gt_tracks);
  Tensor seen = s.visible(gt_visible), all = s.counted(seen);
  Tensor said = s.visible(pred_visible).logical_and(all);
  const Tensor positives = s.count(seen.logical_and(all));
  Tensor count;
  std::vector<Tensor> each;
  for (double distance : thresholds) {
    Tensor hit = within(pred, right, distance).logical_and(seen);
    count = positives + s.count(said.logical_and(hit.logical_not()));
    each.push_back(s.count(said.logical_and(hit)) / (count + kLeast));
  }
  return mean_of(each, count);
}

}  // namespace kd::metrics::contrib
