// The adjusted Rand index. Hubert & Arabie, 1985.
#include <ATen/ops/one_hot.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/where.h>

#include "kd/metrics/engine/metric.h"
#include "kd/metrics/image.h"

namespace kd::metrics {

namespace {

// (*b, t, h, w, 1) as (*b, pixels, n), 1 at the segment of each pixel; ids beyond n are nowhere.
Tensor one_hot(const Tensor& ids, int n) {
  Tensor flat = ids.flatten(-4).to(at::kLong);
  Tensor known = (flat >= 0).logical_and(flat < n);
  Tensor hot = at::one_hot(at::where(known, flat, 0), n);
  return (hot * known.unsqueeze(-1)).to(at::kDouble);
}

Tensor pairs(const Tensor& count) { return count * (count - 1); }

}  // namespace

AverageState Ari::get_state(Int<"*b t h w 1"> predictions, Int<"*b t h w 1"> labels,
                            std::optional<Array<"*b 1">> mask) const {
  Tensor right = one_hot(labels, *num_instances_true);
  if (ignored_ids) {
    std::vector<int> ids;
    if (auto* one = std::get_if<int>(&*ignored_ids)) ids = {*one};
    if (auto* many = std::get_if<std::vector<int>>(&*ignored_ids)) ids = *many;
    for (int id : ids) right = right * (labels.flatten(-4) != id).unsqueeze(-1);
  }
  Tensor table = right.transpose(-1, -2).matmul(one_hot(predictions, *num_instances_pred));
  Tensor in_both = pairs(table).sum({-2, -1});
  Tensor in_right = pairs(table.sum(-1)).sum(-1), in_pred = pairs(table.sum(-2)).sum(-1);
  Tensor all = pairs(table.sum({-2, -1})).clamp_min(1);
  Tensor expected = in_right * in_pred / all;
  Tensor range = (in_right + in_pred) / 2 - expected;
  // No range: both have one segment, or both have one per pixel.
  Tensor values = at::where(range == 0, at::ones_like(range), (in_both - expected) / range);
  return AverageState::from_values(values.to(at::kFloat).unsqueeze(-1), mask);
}

}  // namespace kd::metrics
