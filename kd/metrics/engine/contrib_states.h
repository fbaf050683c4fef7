// The states of further metrics, and MeanCov for metrics of your own.
#pragma once

#include <optional>

#include "kd/metrics/contrib/contrib.h"
#include "kd/metrics/engine/state.h"

namespace kd::metrics::contrib {

struct AveragePrecisionState {
  ConcatField<> scores;
  ConcatField<> labels;
  double compute() const;
};

// Of each example, the sum of its squared errors and how many values it has.
struct RmseState {
  ConcatField<> sum_squared_diffs;
  ConcatField<> number_summed_values;
  StaticField<RmseMode> mode;
  double compute() const;
};

// The mean of everything collected whose mask is 1; NaN when nothing is collected, 0 when every
// mask is 0.
struct MeanState {
  ConcatField<> values;
  ConcatField<> masks;
  Tensor compute() const;
};

// Mean and covariance of vectors, merged without loss of precision. Chan et al., 1983.
//
//   MeanCov state = MeanCov::from_samples(samples);   // (b, n)
//   auto [mean, cov] = state.mean_and_cov();          // (n,) and (n, n)
struct MeanCov {
  Tensor total;    // sum of the vectors
  Tensor squares;  // sum of the outer products of their deviations from the mean
  Tensor weight;   // how many there are
  int ddof = 0;    // subtracted from the number that the covariance is divided by

  // A vector counts as often as its weight says.
  static MeanCov from_samples(const Tensor& samples,
                              const std::optional<Tensor>& fweights = std::nullopt, int ddof = 0);
  MeanCov merge(const MeanCov& other) const;
  MeanCov finalize() const;
  std::pair<Tensor, Tensor> mean_and_cov() const;  // undefined when there are no samples
  Tree compute() const;                            // {mean, cov}; None when there are no samples
  Tree tree() const;
  MeanCov with_tree(const Tree& tree) const;
};

}  // namespace kd::metrics::contrib
