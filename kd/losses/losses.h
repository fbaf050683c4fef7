// Losses: what training minimises.
//
//   cfg.train_losses["recon"] = losses::L2{.preds = "preds.image", .targets = "batch.image"};
//
// Each gives a value per element (`get_values`). The engine multiplies by the mask, adds up,
// multiplies by the weight and divides by the count: kd/losses/engine/loss.h. Every loss is a
// metric, too.
#pragma once

#include "kd/losses/common.h"

namespace kd::losses {

// The values themselves: for what a model computes as its own loss.
struct Value {
  Key values = Key::required();                  // what is minimised
  std::optional<Key> mask = {};                  // weights of the elements; all 1 when absent
  Schedule weight = 1.0;                         // factor of the loss in the total
  NormalizeBy normalize_by = NormalizeBy::mask;  // sum of the mask, or number of values
  std::optional<Key> step = "step";              // where the weight's schedule stands
  Float<"*a"> get_values(Float<"*a"> values) const;
};

// Their distance from 0.
struct AbsoluteValue {
  Key values = Key::required();                  // what is minimised
  std::optional<Key> mask = {};                  // weights of the elements; all 1 when absent
  Schedule weight = 1.0;                         // factor of the loss in the total
  NormalizeBy normalize_by = NormalizeBy::mask;  // sum of the mask, or number of values
  std::optional<Key> step = "step";              // where the weight's schedule stands
  Float<"*a"> get_values(Float<"*a"> values) const;
};

// Absolute error.
struct L1 {
  Key preds = Key::required();                   // what the model says
  Key targets = Key::required();                 // what it should say
  std::optional<Key> mask = {};                  // weights of the elements; all 1 when absent
  Schedule weight = 1.0;                         // factor of the loss in the total
  NormalizeBy normalize_by = NormalizeBy::mask;  // sum of the mask, or number of values
  std::optional<Key> step = "step";              // where the weight's schedule stands
  Float<"*a"> get_values(Float<"*a"> preds, Float<"*a"> targets) const;
};

// Squared error.
struct L2 {
  Key preds = Key::required();                   // what the model says
  Key targets = Key::required();                 // what it should say
  std::optional<Key> mask = {};                  // weights of the elements; all 1 when absent
  Schedule weight = 1.0;                         // factor of the loss in the total
  NormalizeBy normalize_by = NormalizeBy::mask;  // sum of the mask, or number of values
  std::optional<Key> step = "step";              // where the weight's schedule stands
  Float<"*a"> get_values(Float<"*a"> preds, Float<"*a"> targets) const;
};

// Half the squared error near the target, linear beyond delta.
struct Huber {
  Key preds = Key::required();                   // what the model says
  Key targets = Key::required();                 // what it should say
  double delta = 1.0;                            // where it becomes linear
  std::optional<Key> mask = {};                  // weights of the elements; all 1 when absent
  Schedule weight = 1.0;                         // factor of the loss in the total
  NormalizeBy normalize_by = NormalizeBy::mask;  // sum of the mask, or number of values
  std::optional<Key> step = "step";              // where the weight's schedule stands
  Float<"*a"> get_values(Float<"*a"> preds, Float<"*a"> targets) const;
};

// Minus the cosine of the angle between vectors along the last axis.
struct NegativeCosineSimilarity {
  Key preds = Key::required();                   // what the model says
  Key targets = Key::required();                 // what it should say
  double eps = 1e-8;                             // added to the lengths
  std::optional<Key> mask = {};                  // weights of the elements; all 1 when absent
  Schedule weight = 1.0;                         // factor of the loss in the total
  NormalizeBy normalize_by = NormalizeBy::mask;  // sum of the mask, or number of values
  std::optional<Key> step = "step";              // where the weight's schedule stands
  Float<"*a 1"> get_values(Float<"*a c"> preds, Float<"*a c"> targets) const;
};

// Cross entropy of softmax(logits) with the probabilities of the classes.
struct SoftmaxCrossEntropy {
  Key logits = Key::required();                  // unnormalised log-probabilities, classes last
  Key labels = Key::required();                  // probability of each class
  std::optional<Key> mask = {};                  // weights of the examples; all 1 when absent
  Schedule weight = 1.0;                         // factor of the loss in the total
  NormalizeBy normalize_by = NormalizeBy::mask;  // sum of the mask, or number of values
  std::optional<Key> step = "step";              // where the weight's schedule stands
  Float<"*a 1"> get_values(Float<"*a n"> logits, Float<"*a n"> labels) const;
};

// Cross entropy of softmax(logits) with whole-number class labels. Negative labels count from the
// last class; the value of a label that is no class is NaN.
struct SoftmaxCrossEntropyWithIntLabels {
  Key logits = Key::required();                  // unnormalised log-probabilities, classes last
  Key labels = Key::required();                  // class of each example, with a last axis of 1
  std::optional<Key> mask = {};                  // weights of the examples; all 1 when absent
  Schedule weight = 1.0;                         // factor of the loss in the total
  NormalizeBy normalize_by = NormalizeBy::mask;  // sum of the mask, or number of values
  std::optional<Key> step = "step";              // where the weight's schedule stands
  Float<"*a 1"> get_values(Float<"*a n"> logits, Int<"*a 1"> labels) const;
};

// Cross entropy of sigmoid(logits) with independent labels: any number of classes may be right.
struct SigmoidBinaryCrossEntropy {
  Key logits = Key::required();                  // log-odds of each class
  Key labels = Key::required();                  // 0, 1 or a probability; any dtype
  std::optional<Key> mask = {};                  // weights of the elements; all 1 when absent
  Schedule weight = 1.0;                         // factor of the loss in the total
  NormalizeBy normalize_by = NormalizeBy::mask;  // sum of the mask, or number of values
  std::optional<Key> step = "step";              // where the weight's schedule stands
  Float<"*a n"> get_values(Float<"*a n"> logits, Array<"*a n"> labels) const;
};

}  // namespace kd::losses

KONFIG_COMPONENT(kd::Loss, kd::losses::Value, "kauldron.kd:losses.Value");
KONFIG_COMPONENT(kd::Loss, kd::losses::AbsoluteValue, "kauldron.kd:losses.AbsoluteValue");
KONFIG_COMPONENT(kd::Loss, kd::losses::L1, "kauldron.kd:losses.L1");
KONFIG_COMPONENT(kd::Loss, kd::losses::L2, "kauldron.kd:losses.L2");
KONFIG_COMPONENT(kd::Loss, kd::losses::Huber, "kauldron.kd:losses.Huber");
KONFIG_COMPONENT(kd::Loss, kd::losses::NegativeCosineSimilarity,
                 "kauldron.kd:losses.NegativeCosineSimilarity");
KONFIG_COMPONENT(kd::Loss, kd::losses::SoftmaxCrossEntropy,
                 "kauldron.kd:losses.SoftmaxCrossEntropy");
KONFIG_COMPONENT(kd::Loss, kd::losses::SoftmaxCrossEntropyWithIntLabels,
                 "kauldron.kd:losses.SoftmaxCrossEntropyWithIntLabels");
KONFIG_COMPONENT(kd::Loss, kd::losses::SigmoidBinaryCrossEntropy,
                 "kauldron.kd:losses.SigmoidBinaryCrossEntropy");
