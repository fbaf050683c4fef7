// What metrics of images share.
#pragma once

#include <optional>
#include <utility>

#include "kd/metrics/engine/average.h"

namespace kd::metrics::detail {

AverageState psnr_state(const Tensor& pred, const Tensor& target, const std::optional<Tensor>& mask,
                        const std::pair<double, double>& vrange, std::optional<double> clip);

// Images of another size, by linear interpolation; a smaller one averages over what it covers.
Tensor resize_linear(const Tensor& images, std::int64_t height, std::int64_t width);

}  // namespace kd::metrics::detail
