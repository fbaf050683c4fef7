// The inner loops of resizing.
#include "kd/data/resize_kernels_impl.h"

namespace kd::data::detail {

void Spans::add(std::int64_t first, const float* values, std::int64_t n) {
  if (begin.empty()) begin.push_back(0);
  start.push_back(first);
  weights.insert(weights.end(), values, values + n);
  begin.push_back(static_cast<std::int64_t>(weights.size()));
}

void resize_rows(const float* in, std::int64_t width, const Spans& spans, float* out) {
  for (std::int64_t y = 0; y < spans.size(); ++y) {
    float* __restrict to = out + y * width;
    for (std::int64_t i = 0; i < width; ++i) to[i] = 0;
    const std::int64_t begin = spans.begin[y], end = spans.begin[y + 1];
    for (std::int64_t k = begin; k < end; ++k) {
      const float weight = spans.weights[k];
      const float* __restrict from = in + (spans.start[y] + k - begin) * width;
      for (std::int64_t i = 0; i < width; ++i) to[i] += weight * from[i];
    }
  }
}

namespace {

template <int kChannels>
void columns(const float* in, std::int64_t height, std::int64_t in_width, std::int64_t any_channels,
             const Spans& spans, float* out) {
  const std::int64_t channels = kChannels > 0 ? kChannels : any_channels;
  for (std::int64_t y = 0; y < height; ++y) {
    const float* row = in + y * in_width * channels;
    for (std::int64_t x = 0; x < spans.size(); ++x, out += channels) {
      const std::int64_t begin = spans.begin[x], n = spans.begin[x + 1] - begin;
      const float* weights = spans.weights.data() + begin;
      const float* from = row + spans.start[x] * channels;
      for (std::int64_t c = 0; c < channels; ++c) {
        float sum = 0;
        for (std::int64_t k = 0; k < n; ++k) sum += weights[k] * from[k * channels + c];
        out[c] = sum;
      }
    }
  }
}

}  // namespace

void resize_columns(const float* in, std::int64_t height, std::int64_t in_width,
                    std::int64_t channels, const Spans& spans, float* out) {
  switch (channels) {
    case 1:
      return columns<1>(in, height, in_width, channels, spans, out);
    case 3:
      return columns<3>(in, height, in_width, channels, spans, out);
    default:
      return columns<0>(in, height, in_width, channels, spans, out);
  }
}

}  // namespace kd::data::detail
