// Metrics of classifiers, but for RocAuc.
#include "kd/metrics/classification.h"

#include <ATen/ops/argmax.h>

#include "kd/metrics/engine/classes.h"
#include "kd/metrics/engine/metric.h"

namespace kd::metrics {

Tensor predicted_class(const Tensor& logits) {
  if (logits.size(-1) == 0) {
    throw konfig::Error(konfig::ErrorKind::value,
                        "logits: there is no class, the last axis is empty");
  }
  return at::argmax(logits, -1, /*keepdim=*/true);
}

AverageState Accuracy::get_state(Int<"*b 1"> labels, std::optional<Float<"*b n">> logits,
                                 std::optional<Int<"*b 1">> pred_labels,
                                 std::optional<Array<"*b 1">> mask) const {
  check();
  Tensor predicted = logits ? predicted_class(*logits) : Tensor(*pred_labels);
  return AverageState::from_values((predicted == labels).to(at::kFloat), mask);
}

AverageState Precision1::get_state(Float<"*b n"> logits, Float<"*b n"> labels,
                                   std::optional<Array<"*b 1">> mask) const {
  return AverageState::from_values(labels.gather(-1, predicted_class(logits)), mask);
}

AverageState BinaryAccuracy::get_state(Float<"*any"> logits, Int<"*any"> labels) const {
  return AverageState::from_values((logits > 0) == labels);
}

}  // namespace kd::metrics
