// Weights of neighbours along one dimension, for each method of resizing. Library only.
#pragma once

#include <cstdint>
#include <string_view>

#include "kd/data/engine/resize_kernels_impl.h"

namespace kd::data::detail {

// How much a neighbour counts, by its distance.
struct Kernel {
  std::string_view name;
  float radius;
  float (*value)(float distance);
};
const Kernel* find_kernel(std::string_view name);

// Half-pixel centres; with antialiasing the kernel widens when shrinking.
Spans kernel_spans(std::int64_t in, std::int64_t out, const Kernel& kernel, bool antialias);
// Between the two nearest; the edge goes on beyond the image.
Spans lerp_spans(std::int64_t in, std::int64_t out);
// As the cubic kernel without antialiasing, in steps of 1/1024.
Spans table_cubic_spans(std::int64_t in, std::int64_t out);
// The mean of what a pixel covers.
Spans area_spans(std::int64_t in, std::int64_t out);

}  // namespace kd::data::detail
