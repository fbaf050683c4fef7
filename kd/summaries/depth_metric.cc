#include "kd/summaries/depth_metric.h"

#include <ATen/ops/empty.h>

#include "kd/metrics/engine/metric.h"
#include "kd/summaries/engine/colormap.h"

namespace kd::summaries::contrib {

using metrics::AverageState;

namespace {

constexpr double kFarthest = 8.0;  // the depth with the last colour

// (..., 3) to (..., 1): the depth whose colour is nearest.
Tensor depth_of(const Tensor& colours, const Tensor& map) {
  Tensor distance = (colours.unsqueeze(-2) - map).square().sum(-1);
  return distance.argmin(-1, true).to(at::kFloat) / 255.0 * kFarthest;
}

Tensor viridis() {
  Tensor out = at::empty({256, 3});
  float* to = out.mutable_data_ptr<float>();
  for (const auto& colour : colormap("viridis")) {
    for (double part : colour) *to++ = static_cast<float>(part);
  }
  return out;
}

}  // namespace

AverageState RGBMeanAbsoluteRelativeError::get_state(Float<"*b h w 3"> pred,
                                                     Float<"*b h w 3"> target,
                                                     std::optional<Array<"*b h w 1">> mask) const {
  Tensor map = viridis().to(pred.device());
  Tensor said = depth_of(pred, map).clamp(min_val, max_val);
  Tensor right = depth_of(target, map).clamp(min_val, max_val);
  return AverageState::from_values((said - right).abs() / (right + epsilon), mask);
}

}  // namespace kd::summaries::contrib
