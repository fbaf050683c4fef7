// Losses: what training minimises.
#pragma once

#include <optional>

#include "kd/optim/schedules.h"

namespace kd::losses {

// What a loss divides its sum by.
enum class NormalizeBy { mask, values };

// Squared error.
struct L2 {
  Key preds = Key::required();                   // what the model says
  Key targets = Key::required();                 // what it should say
  std::optional<Key> mask = {};                  // weights of the elements; all 1 when absent
  Schedule weight = 1.0;                         // factor of the loss in the total
  NormalizeBy normalize_by = NormalizeBy::mask;  // sum of the mask, or number of values
};

// Absolute error.
struct L1 {
  Key preds = Key::required();                   // what the model says
  Key targets = Key::required();                 // what it should say
  std::optional<Key> mask = {};                  // weights of the elements; all 1 when absent
  Schedule weight = 1.0;                         // factor of the loss in the total
  NormalizeBy normalize_by = NormalizeBy::mask;  // sum of the mask, or number of values
};

// Cross entropy of softmax(logits) with whole-number class labels.
struct SoftmaxCrossEntropyWithIntLabels {
  Key logits = Key::required();                  // unnormalised log-probabilities, classes last
  Key labels = Key::required();                  // class of each example
  std::optional<Key> mask = {};                  // weights of the elements; all 1 when absent
  Schedule weight = 1.0;                         // factor of the loss in the total
  NormalizeBy normalize_by = NormalizeBy::mask;  // sum of the mask, or number of values
};

}  // namespace kd::losses

KONFIG_COMPONENT(kd::Loss, kd::losses::L2, "kauldron.kd:losses.L2");
KONFIG_COMPONENT(kd::Loss, kd::losses::L1, "kauldron.kd:losses.L1");
KONFIG_COMPONENT(kd::Loss, kd::losses::SoftmaxCrossEntropyWithIntLabels,
                 "kauldron.kd:losses.SoftmaxCrossEntropyWithIntLabels");
