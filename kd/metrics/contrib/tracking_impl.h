// What metrics of point tracks share.
#pragma once

#include <optional>

#include "kd/core/tensor.h"
#include "kd/metrics/contrib/geometry.h"

namespace kd::metrics::contrib::detail {

constexpr double kLeast = 1e-8;  // keeps 0 / 0 away

// Which points count, and how queries are weighted.
struct Setting {
  QueryMode query_mode;
  AxisOrder axis_order;
  std::optional<Tensor> evaluation_mask, query_frame, query_mask;

  // (..., M, N, ...) with queries before times.
  Tensor ordered(const Tensor& x, std::int64_t query_axis) const;
  Tensor visible(const Tensor& x) const;  // (..., M, N, 1) to (..., Q, T)
  Tensor tracks(const Tensor& x) const;   // (..., M, N, C) to (..., Q, T, C)
  // (..., Q, T): the points that count, given some values of that shape.
  Tensor counted(const Tensor& like) const;
  // (..., Q, T) to (...): all that are true, weighted by query.
  Tensor count(const Tensor& points) const;
};

}  // namespace kd::metrics::contrib::detail
