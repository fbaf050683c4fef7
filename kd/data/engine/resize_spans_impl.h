// Weights of neighbours along one dimension, for each method of resizing. Library only.
#pragma once

#include <cstdint>

#include "kd/data/engine/resize_kernels_impl.h"
#include "kd/data/transforms/resize_method.h"

namespace kd::data::detail {

// How much a neighbour counts, by its distance.
struct Kernel {
  ResizeMethod method;
  float radius;
  float (*value)(float distance);
};
const Kernel* find_kernel(ResizeMethod method);  // none: it has no kernel

// Half-pixel centres; with antialiasing the kernel widens when shrinking.
Spans kernel_spans(std::int64_t in, std::int64_t out, const Kernel& kernel, bool antialias);
// Between the two nearest; the edge goes on beyond the image.
Spans lerp_spans(std::int64_t in, std::int64_t out);
// As the cubic kernel without antialiasing, in steps of 1/1024.
Spans table_cubic_spans(std::int64_t in, std::int64_t out);
// The mean of what a pixel covers.
Spans area_spans(std::int64_t in, std::int64_t out);

}  // namespace kd::data::detail
