// Which points of tracks count.
#include <ATen/ops/eye.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include "kd/metrics/contrib/tracking_impl.h"
#include "konfig/error.h"

namespace kd::metrics::contrib::detail {

using konfig::Error;
using konfig::ErrorKind;

Tensor Setting::ordered(const Tensor& x, std::int64_t query_axis) const {
  return axis_order == AxisOrder::BQTC ? x : x.transpose(query_axis, query_axis + 1);
}

Tensor Setting::visible(const Tensor& x) const { return ordered(x.squeeze(-1).to(at::kBool), -2); }

Tensor Setting::tracks(const Tensor& x) const { return ordered(x, -3); }

Tensor Setting::counted(const Tensor& like) const {
  if (evaluation_mask) return ordered(evaluation_mask->to(at::kBool), -2);
  std::int64_t times = like.size(-1);
  // Row: the query's frame; column: whether a frame counts.
  Tensor frames = query_mode == QueryMode::first ? at::ones({times, times}, at::kBool).triu(1)
                                                 : at::eye(times, at::kBool).logical_not();
  auto shape = like.sizes().slice(0, static_cast<std::size_t>(like.dim() - 1));
  Tensor query = query_frame ? query_frame->round().to(at::kLong) : at::zeros(shape, at::kLong);
  if (query.numel() > 0 &&
      (query.min().item().toLong() < 0 || query.max().item().toLong() >= times)) {
    throw Error(ErrorKind::index, "query_frame: there are " + std::to_string(times) + " frames");
  }
  return frames.index_select(0, query.reshape({-1})).view(like.sizes());
}

Tensor Setting::count(const Tensor& points) const {
  Tensor sums = points.to(at::kFloat).sum(-1);
  return (query_mask ? sums * *query_mask : sums).sum(-1);
}

}  // namespace kd::metrics::contrib::detail
