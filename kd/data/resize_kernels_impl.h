// Resizing as two passes, down the columns and along the rows. Library only.
#pragma once

#include <cstdint>
#include <vector>

namespace kd::data::detail {

// Each place of the result is a weighted sum of neighbours along one dimension.
struct Spans {
  std::vector<std::int64_t> start;  // the first neighbour of each place
  std::vector<std::int64_t> begin;  // where its weights are, and as many as follow up to the next
  std::vector<float> weights;

  std::int64_t size() const { return static_cast<std::int64_t>(start.size()); }
  void add(std::int64_t first, const float* values, std::int64_t n);
};

// out[y][i] = sum of weights * in[start + k][i]; rows of `width` numbers.
void resize_rows(const float* in, std::int64_t width, const Spans& spans, float* out);
// out[y][x][c] = sum of weights * in[y][start + k][c]
void resize_columns(const float* in, std::int64_t height, std::int64_t in_width,
                    std::int64_t channels, const Spans& spans, float* out);

}  // namespace kd::data::detail
