// The state of RocAuc.
#pragma once

#include <optional>
#include <vector>

#include "kd/metrics/classification.h"
#include "kd/metrics/engine/state.h"

namespace kd::metrics {

struct RocAucState {
  ConcatField<> labels;
  ConcatField<> probs;
  ConcatField<> mask;
  StaticField<std::optional<std::vector<int>>> unique_labels;
  StaticField<MultiClassMode> mode;
  double compute() const;
};

}  // namespace kd::metrics
