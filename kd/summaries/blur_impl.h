// Gaussian blur of one channel.
#pragma once

#include <cstdint>
#include <vector>

namespace kd::summaries::detail {

// Up to four sigmas away; beyond the border the image is mirrored, the last pixel included.
std::vector<float> gaussian_blur(const std::vector<float>& pixels, std::int64_t height,
                                 std::int64_t width, double sigma);

}  // namespace kd::summaries::detail
