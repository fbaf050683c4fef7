// Resizing by weighted sums, down the columns and along the rows. Library only.
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

// Pixels of one image, rows `stride` numbers apart.
template <class T>
struct ImageView {
  const T* pixels;
  std::int64_t height, width, channels, stride;
};

// Each row of the result at a time: sums of rows, then sums along it. Without spans a dimension
// stays as it is.
void resize(const ImageView<std::uint8_t>& in, const Spans* rows, const Spans* columns, float* out);
void resize(const ImageView<float>& in, const Spans* rows, const Spans* columns, float* out);

}  // namespace kd::data::detail
