// AverageState: the mean of all values seen, whatever the sizes of the batches.
#pragma once

#include <optional>

#include "kd/metrics/engine/state.h"

namespace kd::metrics {

struct AverageState {
  SumField total = 0.0;
  SumField count = 0.0;

  // The mask has the axes of `values` from the first on, at least one of them, and is extended to
  // the right: (batch,) weighs whole examples of (batch, n). Its first axis is that of the values;
  // others may be 1. None: all 1.
  static AverageState from_values(const Tensor& values,
                                  const std::optional<Tensor>& mask = std::nullopt);
  Tensor compute() const;  // 0 when nothing was counted
};

}  // namespace kd::metrics
