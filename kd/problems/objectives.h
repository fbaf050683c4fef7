// What experiments minimise and measure.
#pragma once

#include <optional>

#include "kd/core/interfaces.h"
#include "kd/typing/typing_fwd.h"

namespace kd {
class Tree;  // kd/core/tree.h
}
namespace kd::metrics {
struct AverageState;  // kd/metrics/engine/average.h
}

namespace kd::problems {

// Cross entropy of class labels. Binary: of one logit, that of class 1; class 0 has the logit 0.
struct CrossEntropy {
  Key logits = "preds.logits";  // what the model says of each class
  Key labels = "batch.label";   // the number of the right class
  bool binary = false;          // one logit, that of class 1
  Float<"b"> get_values(Float<"b n"> logits, Int<"b"> labels) const;
};

// Fraction of examples whose class has the largest logit.
struct ClassAccuracy {
  Key logits = "preds.logits";  // what the model says of each class
  Key labels = "batch.label";   // the number of the right class
  bool binary = false;          // as in CrossEntropy
  metrics::AverageState get_state(Float<"b n"> logits, Int<"b"> labels) const;
};

// Weight decay: a factor of the sum of all squared parameters, or of their mean.
struct SquaredWeights {
  Key params = "params";    // the parameters
  Required<double> factor;  // what the sum is multiplied by
  bool mean = false;        // the mean of the squares instead of their sum
  Tensor get_values(const Tree& params) const;
};

// The squared distance of two embeddings.
struct SquaredDistance {
  Key student = "preds.student";  // what the model says
  Key teacher = "preds.teacher";  // what it is to say
  Float<"b"> get_values(Float<"b n"> student, Float<"b n"> teacher) const;
};

}  // namespace kd::problems

KONFIG_COMPONENT(kd::Loss, kd::problems::CrossEntropy);
KONFIG_COMPONENT(kd::Metric, kd::problems::ClassAccuracy);
KONFIG_COMPONENT(kd::Loss, kd::problems::SquaredWeights);
KONFIG_COMPONENT(kd::Loss, kd::problems::SquaredDistance);
