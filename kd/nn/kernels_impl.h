// Inner loops over float32 that libtorch has no fast kernel for. Library only.
#pragma once

#include <cstdint>

namespace kd::nn::detail {

struct Kernels {
  // y = gelu(x), and dx = dy * gelu'(x).
  void (*gelu)(const float* x, std::int64_t n, float* y);
  void (*gelu_backward)(const float* x, const float* dy, std::int64_t n, float* dx);

  // Rows of `n`: y = x * inv * scale with inv = 1 / sqrt(mean(x^2) + epsilon); scale may be null.
  void (*rms_norm)(const float* x, const float* scale, std::int64_t rows, std::int64_t n,
                   float epsilon, float* y, float* inv);
  // dx of the same, and what the rows add to dscale (not when it is null).
  void (*rms_norm_backward)(const float* x, const float* scale, const float* inv, const float* dy,
                            std::int64_t rows, std::int64_t n, float* dx, float* dscale);
};

// The fastest for this processor.
const Kernels& kernels();

}  // namespace kd::nn::detail
