// Metrics of images.
#include "kd/metrics/image.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/minimum.h>

#include <cmath>

#include "base/shape_text.h"
#include "kd/metrics/engine/metric.h"
#include "kd/metrics/engine/reduce.h"
#include "kd/metrics/image_impl.h"

namespace kd::metrics {

using konfig::Error;
using konfig::ErrorKind;

namespace {

double range_of(const std::pair<double, double>& vrange) {
  double range = vrange.second - vrange.first;
  if (range > 0) return range;
  throw Error(ErrorKind::value, "in_vrange: the range from " + std::to_string(vrange.first) +
                                    " to " + std::to_string(vrange.second) + " is empty");
}

Tensor rescaled(const Tensor& image, const std::pair<double, double>& vrange) {
  return (image - vrange.first) / range_of(vrange);
}

Tensor gaussian(int size, double sigma, const at::TensorOptions& options) {
  int half = size / 2;
  double shift = (2 * half - size + 1) / 2.0;
  Tensor place = (at::arange(size, options) - half + shift) / sigma;
  Tensor weights = (-0.5 * place.square()).exp();
  return weights / weights.sum();
}

// Moving mean along an axis, only where the whole window fits.
Tensor blur(const Tensor& image, std::int64_t axis, const Tensor& window) {
  std::int64_t size = image.size(axis) - window.numel() + 1;
  Tensor out = window[0] * image.narrow(axis, 0, size);
  for (std::int64_t i = 1; i < window.numel(); ++i) {
    out = out + window[i] * image.narrow(axis, i, size);
  }
  return out;
}

Tensor similarity(const Tensor& a, const Tensor& b, const Ssim& s) {
  Tensor window = gaussian(s.filter_size, s.filter_sigma, a.options());
  auto mean = [&](const Tensor& x) { return blur(blur(x, -2, window), -3, window); };
  Tensor mean_a = mean(a), mean_b = mean(b);
  Tensor aa = mean_a * mean_a, bb = mean_b * mean_b, ab = mean_a * mean_b;
  Tensor var_a = (mean(a * a) - aa).clamp_min(0), var_b = (mean(b * b) - bb).clamp_min(0);
  Tensor cov = mean(a * b) - ab;
  cov = cov.sign() * at::minimum((var_a * var_b).sqrt(), cov.abs());
  double c1 = s.k1 * s.k1, c2 = s.k2 * s.k2;  // for values in [0, 1]
  Tensor map = (2 * ab + c1) * (2 * cov + c2) / ((aa + bb + c1) * (var_a + var_b + c2));
  return mean_over(map, {-3, -2, -1}).unsqueeze(-1);
}

}  // namespace

AverageState detail::psnr_state(const Tensor& pred, const Tensor& target,
                                const std::optional<Tensor>& mask,
                                const std::pair<double, double>& vrange,
                                std::optional<double> clip) {
  constexpr double kLeastError = 1e-10;
  Tensor error = mean_over((pred - target).square(), {-3, -2, -1}).clamp_min(kLeastError);
  Tensor values = (20 * std::log10(range_of(vrange)) - 10 * error.log10()).unsqueeze(-1);
  return AverageState::from_values(clip ? values.clamp_max(*clip) : values, mask);
}

AverageState Psnr::get_state(Float<"*b h w c"> pred, Float<"*b h w c"> target,
                             std::optional<Array<"*b 1">> mask) const {
  return detail::psnr_state(pred, target, mask, in_vrange, clip);
}

AverageState Ssim::get_state(Float<"*b h w c"> pred, Float<"*b h w c"> target,
                             std::optional<Array<"*b 1">> mask) const {
  if (filter_size < 1 || pred.size(-3) < filter_size || pred.size(-2) < filter_size) {
    throw Error(ErrorKind::value, "filter_size: a window of " + std::to_string(filter_size) +
                                      " does not fit into images of shape " +
                                      base::tuple_text(pred.sizes()));
  }
  return AverageState::from_values(
      similarity(rescaled(pred, in_vrange), rescaled(target, in_vrange), *this), mask);
}

AverageState LpipsVgg::get_state(Float<"*b h w c">, Float<"*b h w c">,
                                 std::optional<Array<"*b 1">>) const {
  throw Error(ErrorKind::unsupported,
              "LpipsVgg needs the weights of a VGG network (lpips_vgg_weights), which are not part "
              "of this library; use Psnr or Ssim, or a metric of your own that has them "
              "(docs/losses_metrics.md)");
}

}  // namespace kd::metrics
