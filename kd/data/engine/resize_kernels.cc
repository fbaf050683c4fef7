// The inner loops of resizing, compiled once for any processor and once for AVX2. CMakeLists.txt
// has the options that make them vector code with the same bits in each variant.
#include "kd/data/engine/resize_kernels_impl.h"

#include <cstring>

namespace kd::data::detail {

void Spans::add(std::int64_t first, const float* values, std::int64_t n) {
  if (begin.empty()) begin.push_back(0);
  start.push_back(first);
  weights.insert(weights.end(), values, values + n);
  begin.push_back(static_cast<std::int64_t>(weights.size()));
}

namespace {

#define KD_INLINE __attribute__((always_inline)) inline

template <class T>
KD_INLINE void sum_rows(const T* in, std::int64_t stride, std::int64_t width, const float* weights,
                        std::int64_t n, float* __restrict out) {
  if (n == 2) {  // the usual case, in one pass
    const float a = weights[0], b = weights[1];
    const T* __restrict x = in;
    const T* __restrict y = in + stride;
    for (std::int64_t i = 0; i < width; ++i) {
      out[i] = 0.0f + a * static_cast<float>(x[i]) + b * static_cast<float>(y[i]);
    }
    return;
  }
  for (std::int64_t i = 0; i < width; ++i) out[i] = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    const T* __restrict from = in + k * stride;
    const float weight = weights[k];
    for (std::int64_t i = 0; i < width; ++i) out[i] += weight * static_cast<float>(from[i]);
  }
}

using Four = float __attribute__((vector_size(16)));
KD_INLINE Four load(const float* from) {
  Four out;
  std::memcpy(&out, from, sizeof(out));
  return out;
}

// Four numbers at a time; what is too much is overwritten by the next pixel.
KD_INLINE void sum_colours(const float* row, const Spans& spans, float* out) {
  for (std::int64_t x = 0; x < spans.size(); ++x) {
    const std::int64_t begin = spans.begin[x], n = spans.begin[x + 1] - begin;
    const float* weights = spans.weights.data() + begin;
    const float* from = row + spans.start[x] * 3;
    Four sum = {};
    for (std::int64_t k = 0; k < n; ++k) sum += weights[k] * load(from + 3 * k);
    std::memcpy(out + 3 * x, &sum, sizeof(sum));
  }
}

template <int kChannels>
KD_INLINE void sum_columns(const float* row, std::int64_t any_channels, const Spans& spans,
                           float* out) {
  const std::int64_t channels = kChannels > 0 ? kChannels : any_channels;
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

template <class T>
KD_INLINE void resize_all(const ImageView<T>& in, const Spans* rows, const Spans* columns,
                          float* row, float* out) {
  const std::int64_t width = in.width * in.channels;
  const std::int64_t height = rows ? rows->size() : in.height;
  const std::int64_t out_width = (columns ? columns->size() : in.width) * in.channels;
  for (std::int64_t y = 0; y < height; ++y) {
    float* to = out + y * out_width;
    float* sums = columns ? row : to;
    if (rows) {
      const std::int64_t begin = rows->begin[y];
      sum_rows(in.pixels + rows->start[y] * in.stride, in.stride, width,
               rows->weights.data() + begin, rows->begin[y + 1] - begin, sums);
    } else {
      const T* from = in.pixels + y * in.stride;
      for (std::int64_t i = 0; i < width; ++i) sums[i] = static_cast<float>(from[i]);
    }
    if (!columns) continue;
    if (in.channels == 3 && y + 1 < height) {
      sum_colours(row, *columns, to);
    } else if (in.channels == 3) {
      sum_columns<3>(row, 3, *columns, to);  // nothing may be written behind the last row
    } else if (in.channels == 1) {
      sum_columns<1>(row, 1, *columns, to);
    } else {
      sum_columns<0>(row, in.channels, *columns, to);
    }
  }
}

template <class T>
void resize_portable(const ImageView<T>& in, const Spans* rows, const Spans* columns, float* row,
                     float* out) {
  resize_all(in, rows, columns, row, out);
}

#ifdef __x86_64__
template <class T>
__attribute__((target("avx2"))) void resize_avx2(const ImageView<T>& in, const Spans* rows,
                                                 const Spans* columns, float* row, float* out) {
  resize_all(in, rows, columns, row, out);
}
const bool kHasAvx2 = __builtin_cpu_supports("avx2");
#endif

template <class T>
void resize_best(const ImageView<T>& in, const Spans* rows, const Spans* columns, float* out) {
  // One number more than the row has: pixels are read four numbers at a time.
  std::vector<float> row(static_cast<std::size_t>(in.width * in.channels + 1));
#ifdef __x86_64__
  if (kHasAvx2) return resize_avx2(in, rows, columns, row.data(), out);
#endif
  resize_portable(in, rows, columns, row.data(), out);
}

}  // namespace

void resize(const ImageView<std::uint8_t>& in, const Spans* rows, const Spans* columns,
            float* out) {
  resize_best(in, rows, columns, out);
}
void resize(const ImageView<float>& in, const Spans* rows, const Spans* columns, float* out) {
  resize_best(in, rows, columns, out);
}

}  // namespace kd::data::detail
