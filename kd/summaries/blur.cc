// Gaussian blur: rows, then columns.
#include <cmath>

#include "kd/summaries/blur_impl.h"

namespace kd::summaries::detail {

namespace {

std::vector<double> kernel(double sigma) {
  const int radius = static_cast<int>(std::floor(4 * sigma + 0.5));
  std::vector<double> out;
  double sum = 0;
  for (int i = -radius; i <= radius; ++i) {
    out.push_back(std::exp(-0.5 / (sigma * sigma) * i * i));
    sum += out.back();
  }
  for (double& weight : out) weight /= sum;
  return out;
}

// d c b a | a b c d | d c b a
std::int64_t mirror(std::int64_t at, std::int64_t size) {
  std::int64_t period = 2 * size;
  at = (at % period + period) % period;
  return at < size ? at : period - 1 - at;
}

// `lines` lines of `size` pixels that lie `step` apart.
std::vector<float> blur_lines(const std::vector<float>& from, const std::vector<double>& weights,
                              std::int64_t lines, std::int64_t line_step, std::int64_t size,
                              std::int64_t step) {
  std::vector<float> out(from.size());
  auto radius = static_cast<std::int64_t>(weights.size() / 2);
  for (std::int64_t line = 0; line < lines; ++line) {
    for (std::int64_t i = 0; i < size; ++i) {
      double sum = 0;
      for (std::int64_t k = -radius; k <= radius; ++k) {
        std::int64_t place = line * line_step + mirror(i + k, size) * step;
        sum +=
            weights[static_cast<std::size_t>(k + radius)] * from[static_cast<std::size_t>(place)];
      }
      out[static_cast<std::size_t>(line * line_step + i * step)] = static_cast<float>(sum);
    }
  }
  return out;
}

}  // namespace

std::vector<float> gaussian_blur(const std::vector<float>& pixels, std::int64_t height,
                                 std::int64_t width, double sigma) {
  std::vector<double> weights = kernel(sigma);
  std::vector<float> columns = blur_lines(pixels, weights, width, 1, height, width);
  return blur_lines(columns, weights, height, width, width, 1);
}

}  // namespace kd::summaries::detail
