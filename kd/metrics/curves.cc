// Areas under curves, from the highest score to the lowest.
#include <algorithm>
#include <limits>

#include "kd/metrics/curves_impl.h"

namespace kd::metrics::detail {

namespace {

// Weights of positives and negatives with a score of at least the threshold.
struct Counts {
  double positive = 0, negative = 0;
};

// One entry per score that occurs, from the highest on. Samples without weight draw nothing.
std::vector<Counts> counts_by_score(std::vector<Sample>& samples) {
  std::erase_if(samples, [](const Sample& s) { return s.weight == 0; });
  std::ranges::stable_sort(samples, std::greater<>(), &Sample::score);
  std::vector<Counts> out;
  Counts sum;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    (samples[i].positive ? sum.positive : sum.negative) += samples[i].weight;
    if (i + 1 == samples.size() || samples[i + 1].score != samples[i].score) out.push_back(sum);
  }
  return out;
}

}  // namespace

double roc_auc(std::vector<Sample> samples) {
  std::vector<Counts> curve = counts_by_score(samples);
  Counts last, all = curve.empty() ? Counts() : curve.back();
  if (all.positive == 0 || all.negative == 0) return std::numeric_limits<double>::quiet_NaN();
  double area = 0;
  for (const Counts& point : curve) {
    area += (point.negative - last.negative) * (point.positive + last.positive) / 2;
    last = point;
  }
  return area / (all.positive * all.negative);
}

double average_precision(std::vector<Sample> samples) {
  std::vector<Counts> curve = counts_by_score(samples);
  if (curve.empty() || curve.back().positive == 0) return 0;
  double area = 0, last = 0;
  for (const Counts& point : curve) {
    double precision = point.positive / (point.positive + point.negative);
    area += (point.positive - last) * precision;
    last = point.positive;
  }
  return area / curve.back().positive;
}

}  // namespace kd::metrics::detail
