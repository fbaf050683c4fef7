// The values of the further losses.
#include "kd/losses/contrib.h"

#include "kd/losses/engine/loss.h"
#include "kd/losses/losses_impl.h"
#include "kd/metrics/engine/reduce.h"

namespace kd::losses::contrib {

namespace {

// Foreground over background, but 1e-5 at most.
Tensor dynamic_ratio(const Tensor& foreground) {
  Tensor count = metrics::sum_all(foreground);
  auto size = static_cast<double>(foreground.numel());
  return (count / (size - count + 1e-6)).clamp_max(1e-5);
}

}  // namespace

Float<"*a"> WeightedL1::get_values(Float<"*a"> preds, Float<"*a"> targets, Float<"*b"> visible,
                                   Float<"*b"> bg_mask) const {
  Tensor error = magnitude(preds - targets);
  if (mask_occluded) error = error * visible;
  Tensor foreground = bg_mask;
  if (use_bg_ratio_for_occluded) foreground = foreground * visible;
  Tensor background = error * (1 - foreground);
  background = ratio_type == RatioType::constant ? background * *ratio_value
                                                 : background * dynamic_ratio(foreground);
  return error * foreground + background;
}

Float<"*b h w m"> DiceLoss::get_values(Float<"*b h w m"> preds, Array<"*b h w m"> targets) const {
  Tensor p = preds.sigmoid(), t = targets.to(p.scalar_type());
  auto area = [](const Tensor& x) { return metrics::sum_over(x, {-3, -2}, true); };
  Tensor overlap = (2 * area(p * t) + 1) / (area(p) + area(t) + 1);
  return (1 - overlap).expand_as(p);
}

Float<"*b m"> IoULoss::get_values(Float<"*b m h w"> preds, Float<"*b m h w"> targets,
                                  Float<"*b m"> pred_ious) const {
  Tensor p = preds > 0, t = targets > 0;
  auto area = [&](const Tensor& x) { return metrics::sum_over(x, {-2, -1}).to(at::kFloat); };
  Tensor ious = area(p.logical_and(t)) / area(p.logical_or(t)).clamp_min(1.0);
  Tensor error = pred_ious - ious;
  return use_l1_loss ? magnitude(error) : error.square();
}

Float<"*a"> SigmoidFocalLoss::get_values(Float<"*a"> preds, Array<"*a"> targets) const {
  Tensor p = preds.sigmoid(), t = targets.to(p.scalar_type());
  Tensor right = p * t + (1 - p) * (1 - t);
  Tensor values = sigmoid_cross_entropy(preds, t) * (1 - right).pow(gamma);
  return alpha < 0 ? values : (alpha * t + (1 - alpha) * (1 - t)) * values;
}

}  // namespace kd::losses::contrib
