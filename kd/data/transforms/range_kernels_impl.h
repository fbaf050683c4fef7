// The inner loop of ValueRange. Library only.
#pragma once

#include <cstdint>

namespace kd::data::detail {

struct Range {
  float in_min, in_size, out_size, out_min, out_max;
  bool clip;
};

// (x - in_min) / in_size * out_size + out_min, cut off at the ends of the range if asked for.
void map_range(const std::uint8_t* in, std::int64_t n, const Range& range, float* out);
void map_range(const float* in, std::int64_t n, const Range& range, float* out);

// Numbers from 0 to 255 as bytes, cut off behind the point.
void to_bytes(const float* in, std::int64_t n, std::uint8_t* out);

}  // namespace kd::data::detail
