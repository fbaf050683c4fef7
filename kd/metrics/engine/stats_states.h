// The states of Norm and Std.
#pragma once

#include <optional>

#include "kd/metrics/engine/average.h"

namespace kd::metrics {

// Norms, or their powers, which add up to the power of the norm of everything.
struct NormState {
  SumField total = 0.0;
  SumField count = 0.0;
  StaticField<std::optional<double>> exponent;  // of the total; none: the mean is wanted
  Tensor compute() const;
};

struct StdState {
  SumField total = 0.0;
  SumField sum_of_squares = 0.0;
  SumField count = 0.0;
  Tensor compute() const;  // NaN when nothing was counted
};

}  // namespace kd::metrics
