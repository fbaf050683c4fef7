// Further metrics of classifiers, regression, depth and images.
#include "kd/metrics/contrib/contrib.h"

#include <ATen/ops/full.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>

#include "kd/metrics/curves_impl.h"
#include "kd/metrics/engine/classes.h"
#include "kd/metrics/engine/contrib_states.h"
#include "kd/metrics/engine/metric.h"
#include "kd/metrics/engine/reduce.h"
#include "kd/metrics/image_impl.h"

namespace kd::metrics::contrib {

using konfig::Error;
using konfig::ErrorKind;

AverageState JointAccuracy::get_state(Float<"*b n"> logits_a, Int<"*b 1"> labels_a,
                                      Float<"*b m"> logits_b, Int<"*b 1"> labels_b,
                                      std::optional<Array<"*b 1">> mask) const {
  Tensor a = predicted_class(logits_a) == labels_a;
  Tensor b = predicted_class(logits_b) == labels_b;
  return AverageState::from_values(a.logical_and(b), mask);
}

AveragePrecisionState MultilabelAveragePrecision::get_state(Float<"b n"> scores,
                                                            Int<"b n"> labels) const {
  return {.scores = scores, .labels = labels};
}

double AveragePrecisionState::compute() const {
  if (scores.empty()) return 0;
  Tensor s = scores.tensor().to(at::kDouble).contiguous();
  Tensor l = labels.tensor().to(at::kLong).contiguous();
  auto* score = s.const_data_ptr<double>();
  auto* label = l.const_data_ptr<std::int64_t>();
  std::int64_t rows = s.size(0), classes = s.size(1);
  double sum = 0;
  for (std::int64_t c = 0; c < classes; ++c) {
    std::vector<detail::Sample> samples;
    for (std::int64_t at = c; at < rows * classes; at += classes) {
      if (label[at] != 0 && label[at] != 1) {
        throw Error(ErrorKind::value,
                    "labels: " + std::to_string(label[at]) + " is found; each class is 0 or 1");
      }
      if (!std::isfinite(score[at])) {
        throw Error(ErrorKind::value, "scores: they must be finite numbers");
      }
      samples.push_back({score[at], label[at] == 1, 1});
    }
    sum += detail::average_precision(std::move(samples));
  }
  return sum / static_cast<double>(classes);
}

RmseState RootMeanSquaredError::get_state(Float<"b *d"> preds, Float<"b *d"> targets) const {
  Tensor squares = (preds - targets).square().reshape({preds.size(0), -1});
  return {.sum_squared_diffs = sum_over(squares, {1}),
          .number_summed_values = at::full({squares.size(0)}, squares.size(1), at::kInt),
          .mode = rmse_mode};
}

double RmseState::compute() const {
  if (sum_squared_diffs.empty()) return std::numeric_limits<double>::quiet_NaN();
  Tensor sums = sum_squared_diffs.tensor();
  switch (*mode) {
    case RmseMode::trad:
      return mean_over(sums, {0}).sqrt().item().toDouble();
    case RmseMode::average_all:
      return (sum_all(sums) / sum_all(number_summed_values.tensor())).sqrt().item().toDouble();
    case RmseMode::per_sample_sqrt:
      return mean_over(sums.sqrt(), {0}).item().toDouble();
  }
  throw Error(ErrorKind::value, "rmse_mode: unknown");
}

AverageState CosineSimilarity::get_state(Float<"*b n d"> pred, Float<"*b n d"> target,
                                         std::optional<Array<"*b n 1">> mask) const {
  auto length = [](const Tensor& x) { return sum_over(x.square(), {-1}, true).sqrt(); };
  Tensor product = sum_over(pred * target, {-1}, true);
  return AverageState::from_values(product / (length(pred) * length(target) + eps), mask);
}

AverageState MeanAbsoluteRelativeError::get_state(Float<"*a"> preds, Float<"*a"> targets,
                                                  std::optional<Array<"*a">> mask) const {
  return AverageState::from_values((preds - targets).abs() / (targets + epsilon), mask);
}

AverageState Delta1::get_state(Float<"*a"> preds, Float<"*a"> targets,
                               std::optional<Array<"*a">> mask) const {
  Tensor p = preds, t = targets;
  if (denormalize) {
    p = p * depth_std + depth_mean;
    t = t * depth_std + depth_mean;
  }
  p = p.clamp_min(0);
  Tensor ratio = at::maximum(p, t) / (at::minimum(p, t) + epsilon);
  return AverageState::from_values((ratio < threshold).to(at::kFloat), mask);
}

AverageState PsnrWithResize::get_state(Float<"*b h_p w_p c"> pred, Float<"*b h_t w_t c"> target,
                                       std::optional<Array<"*b 1">> mask) const {
  Tensor resized = detail::resize_linear(pred, target.size(-3), target.size(-2));
  return detail::psnr_state(resized, target, mask, in_vrange, clip);
}

AverageState FidWithStats::get_state(Float<"*b h w c">, std::optional<Array<"*b 1">>) const {
  throw Error(ErrorKind::unsupported,
              "FidWithStats needs the weights of an Inception network, which are not part of this "
              "library; use Psnr or Ssim, or a metric of your own that has them "
              "(docs/losses_metrics.md)");
}

}  // namespace kd::metrics::contrib
