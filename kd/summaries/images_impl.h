// What the summaries of images share.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "kd/core/tensor.h"
#include "kd/metrics/engine/fields.h"
#include "konfig/map.h"

namespace kd::summaries::detail {

using Range = std::pair<double, double>;

// By the pattern; without one, all axes but the last three become one.
Tensor as_images(const Tensor& images, const std::optional<std::string>& pattern,
                 const std::optional<konfig::Map<int>>& sizes);
// (n, h, w, 1 or 3), else an Error.
void check_images(const Tensor& images);
// Cut to the range, which becomes [0, 1].
Tensor rescale(const Tensor& images, const std::optional<Range>& range);
Tensor first(const Tensor& images, std::int64_t num);
// What was collected, or an Error when there was no batch.
Tensor collected(const metrics::PartsField& field);

}  // namespace kd::summaries::detail
