// Areas under the curves that a threshold on scores draws, with weights of the samples.
#pragma once

#include <vector>

namespace kd::metrics::detail {

struct Sample {
  double score = 0;
  bool positive = false;
  double weight = 1;
};

// True positives against false positives: the chance that a positive scores above a negative, ties
// counting half. NaN when one of them is missing.
double roc_auc(std::vector<Sample> samples);
// Precision against recall, as steps. 0 without a positive.
double average_precision(std::vector<Sample> samples);

}  // namespace kd::metrics::detail
