// Shapes by pattern, as in einops: what goes where is written with names.
//
//   rearrange(image, "b (h p) w c -> b h (p w c)", {{"p", 4}})
//   reduce(tokens, "... n d -> ... d", "mean")
//   repeat(x, "b d -> b n d", {{"n", 7}})
//
// Names in parentheses are one dimension of the tensor, `...` any number of them, 1 one of size 1.
// Sizes that do not follow from the tensor are given.
#pragma once

#include <string_view>

#include "kd/core/tensor_fwd.h"
#include "konfig/map.h"

namespace kd::einops {

using AxisSizes = konfig::Map<int>;

// Both sides have the same names.
Tensor rearrange(const Tensor& x, std::string_view pattern, const AxisSizes& sizes = {});
// Names only on the left are reduced: "mean", "sum", "max", "min" or "prod".
Tensor reduce(const Tensor& x, std::string_view pattern, std::string_view reduction,
              const AxisSizes& sizes = {});
// Names only on the right are new dimensions, of equal parts.
Tensor repeat(const Tensor& x, std::string_view pattern, const AxisSizes& sizes = {});

}  // namespace kd::einops
