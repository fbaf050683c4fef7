// Metrics of classifiers.
#pragma once

#include <optional>
#include <vector>

#include "kd/core/interfaces.h"
#include "kd/typing/typing_fwd.h"

namespace kd::metrics {

struct AverageState;
struct RocAucState;

// Fraction of examples whose largest logit, the first of several, is the label. Exactly one of
// `logits` and `pred_labels` is set.
struct Accuracy {
  Key labels = Key::required();         // class of each example, with a last axis of 1
  std::optional<Key> logits = {};       // unnormalised log-probabilities, classes last
  std::optional<Key> pred_labels = {};  // instead of logits: the predicted classes
  std::optional<Key> mask = {};         // weights of the examples; all 1 when absent
  void check() const;
  void konfig_post_resolve(const konfig::ConfigDict&) const;
  AverageState get_state(Int<"*b 1"> labels, std::optional<Float<"*b n">> logits,
                         std::optional<Int<"*b 1">> pred_labels,
                         std::optional<Array<"*b 1">> mask) const;
};

// Fraction of examples whose largest logit is one of several right classes.
struct Precision1 {
  Key logits = Key::required();  // unnormalised log-probabilities, classes last
  Key labels = Key::required();  // 1 for the right classes, as floats
  std::optional<Key> mask = {};  // weights of the examples; all 1 when absent
  AverageState get_state(Float<"*b n"> logits, Float<"*b n"> labels,
                         std::optional<Array<"*b 1">> mask) const;
};

// Fraction of elements whose logit is above 0 where the label is 1, and not above where it is 0.
struct BinaryAccuracy {
  Key logits = Key::required();  // log-odds
  Key labels = Key::required();  // 0 or 1; others never match
  AverageState get_state(Float<"*any"> logits, Int<"*any"> labels) const;
};

// One class against all others, or each against each.
enum class MultiClassMode { ovr, ovo };

// Area under the receiver operating characteristic curve, over all batches together. Classes that
// no label names are left out, and the probabilities of the others add up to 1 again.
struct RocAuc {
  Key logits = Key::required();                           // unnormalised, classes last
  Key labels = Key::required();                           // class of each example, last axis 1
  std::optional<Key> mask = {};                           // weights of the examples
  std::optional<std::vector<int>> unique_labels = {};     // classes; absent: those of the labels
  MultiClassMode multi_class_mode = MultiClassMode::ovr;  // for more than two classes: ovr only
  RocAucState get_state(Float<"*b n"> logits, Int<"*b 1"> labels,
                        std::optional<Array<"*b 1">> mask) const;
};

}  // namespace kd::metrics

KONFIG_COMPONENT(kd::Metric, kd::metrics::Accuracy, "kauldron.kd:metrics.Accuracy");
KONFIG_COMPONENT(kd::Metric, kd::metrics::Precision1, "kauldron.kd:metrics.Precision1");
KONFIG_COMPONENT(kd::Metric, kd::metrics::BinaryAccuracy, "kauldron.kd:metrics.BinaryAccuracy");
KONFIG_COMPONENT(kd::Metric, kd::metrics::RocAuc, "kauldron.kd:metrics.RocAuc");
