// Metrics: what is measured along the way.
#pragma once

#include <optional>
#include <string>

#include "kd/interfaces.h"

namespace kd::metrics {

// How the norms of several tensors become one: the mean of the norms, or the norm of all values.
enum class Aggregation { average, concat };

// The norm of a tensor along an axis, averaged.
struct Norm {
  Key tensor = Key::required();    // what is measured
  std::optional<Key> mask = {};    // weights of the elements; all 1 when absent
  std::optional<int> axis = -1;    // None: the whole tensor
  std::optional<double> ord = {};  // order of the norm; None: Euclidean
  Aggregation aggregation_type = Aggregation::average;  // over several tensors
};

// Fraction of examples whose largest logit is the label.
struct Accuracy {
  std::optional<Key> logits = {};       // unnormalised log-probabilities, classes last
  std::optional<Key> pred_labels = {};  // instead of logits: the predicted classes
  Key labels = Key::required();         // class of each example
  std::optional<Key> mask = {};         // weights of the elements; all 1 when absent
};

}  // namespace kd::metrics

KONFIG_COMPONENT(kd::Metric, kd::metrics::Norm, "kauldron.kd:metrics.Norm");
KONFIG_COMPONENT(kd::Metric, kd::metrics::Accuracy, "kauldron.kd:metrics.Accuracy");
