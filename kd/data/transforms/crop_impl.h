// What crops and flips share. Library only.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kd/core/tree.h"
#include "kd/data/transforms/element_key.h"

namespace kd::data::detail {

// The sizes of the part, with None replaced; an Error when it does not fit.
std::vector<std::int64_t> crop_shape(at::IntArrayRef from,
                                     const std::vector<std::optional<int>>& wanted);
Tensor cut_out(Tensor from, const std::vector<std::int64_t>& start,
               const std::vector<std::int64_t>& shape);

void check_crop(const std::vector<std::optional<int>>& shape);
// Elements that are cut at the same place have the same size there.
void check_crop_elements(const ElementKey& key, const std::vector<std::optional<int>>& shape,
                         const Tree& record);

// Images "... h w c": how many, and some of them flipped.
std::size_t image_count(const Tensor& images);
Tensor flip_some(const Tensor& images, const std::vector<bool>& flipped);

}  // namespace kd::data::detail
