// The weights of each method of resizing.
#include "kd/data/engine/resize_spans_impl.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

namespace kd::data::detail {

namespace {

constexpr float kPi = std::numbers::pi_v<float>;

float triangle(float x) { return std::max(0.0f, 1 - x); }

// Keys, 1981, with a = -1/2.
float keys_cubic(float x) {
  if (x >= 2) return 0;
  if (x >= 1) return ((-0.5f * x + 2.5f) * x - 4) * x + 2;
  return (1.5f * x - 2.5f) * x * x + 1;
}

// Mitchell and Netravali, 1988, with B = C = 1/3.
float mitchell_cubic(float x) {
  if (x >= 2) return 0;
  if (x >= 1) return ((-7.0f / 18 * x + 2) * x - 10.0f / 3) * x + 16.0f / 9;
  return (7.0f / 6 * x - 2) * x * x + 8.0f / 9;
}

float gaussian(float x) {
  constexpr float kRadius = 1.5f, kSigma = 0.5f;
  return x >= kRadius ? 0 : std::exp(-x * x / (2 * kSigma * kSigma));
}

template <int kRadius>
float lanczos(float x) {
  constexpr float kNearZero = 1e-3f;
  if (x > kRadius) return 0;
  if (x <= kNearZero) return 1;
  return kRadius * std::sin(kPi * x) * std::sin(kPi * x / kRadius) / (kPi * kPi * x * x);
}

// Divides by the sum, unless that is about zero.
void normalize(std::vector<float>& weights, float least) {
  float sum = 0;
  for (float w : weights) sum += w;
  for (float& w : weights) w = std::abs(sum) > least ? w / sum : 0;
}

}  // namespace

const Kernel* find_kernel(ResizeMethod method) {
  static constexpr Kernel kKernels[] = {
      {ResizeMethod::bilinear, 1, triangle},   {ResizeMethod::bicubic, 2, keys_cubic},
      {ResizeMethod::lanczos3, 3, lanczos<3>}, {ResizeMethod::lanczos5, 5, lanczos<5>},
      {ResizeMethod::gaussian, 1.5, gaussian}, {ResizeMethod::mitchellcubic, 2, mitchell_cubic}};
  for (const Kernel& kernel : kKernels) {
    if (kernel.method == method) return &kernel;
  }
  return nullptr;
}

Spans kernel_spans(std::int64_t in, std::int64_t out, const Kernel& kernel, bool antialias) {
  const float inverse = 1 / (static_cast<float>(out) / static_cast<float>(in));
  const float stretch = antialias ? std::max(inverse, 1.0f) : 1.0f;
  Spans spans;
  std::vector<float> weights;
  for (std::int64_t i = 0; i < out; ++i) {
    const float center = (static_cast<float>(i) + 0.5f) * inverse - 0.5f;
    const float reach = kernel.radius * stretch;
    const auto first =
        std::max<std::int64_t>(static_cast<std::int64_t>(std::ceil(center - reach)), 0);
    const auto last = std::min(static_cast<std::int64_t>(std::floor(center + reach)), in - 1);
    weights.clear();
    for (std::int64_t k = first; k <= last; ++k) {
      weights.push_back(kernel.value(std::abs(center - static_cast<float>(k)) / stretch));
    }
    normalize(weights, 1000 * std::numeric_limits<float>::epsilon());
    spans.add(first, weights.data(), static_cast<std::int64_t>(weights.size()));
  }
  return spans;
}

Spans lerp_spans(std::int64_t in, std::int64_t out) {
  const float scale = static_cast<float>(in) / static_cast<float>(out);
  Spans spans;
  for (std::int64_t i = 0; i < out; ++i) {
    const float center = (static_cast<float>(i) + 0.5f) * scale - 0.5f;
    const float floor = std::floor(center);
    const auto lower = std::max<std::int64_t>(static_cast<std::int64_t>(floor), 0);
    const auto upper = std::min(static_cast<std::int64_t>(std::ceil(center)), in - 1);
    const float part = center - floor;
    const float weights[] = {1 - part, part};
    if (lower < upper) {
      spans.add(lower, weights, 2);
    } else {
      const float one = 1;
      spans.add(std::min(lower, in - 1), &one, 1);
    }
  }
  return spans;
}

// The reference looks its coefficients up in a table of 1024 steps.
Spans table_cubic_spans(std::int64_t in, std::int64_t out) {
  constexpr int kSteps = 1024;
  const float scale = static_cast<float>(in) / static_cast<float>(out);
  auto coefficient = [](long step, int distance) {
    return keys_cubic(static_cast<float>(step) / kSteps + static_cast<float>(distance));
  };
  Spans spans;
  for (std::int64_t i = 0; i < out; ++i) {
    const float center = (static_cast<float>(i) + 0.5f) * scale - 0.5f;
    const auto base = static_cast<std::int64_t>(std::floor(center));
    const long step = std::lrint((center - static_cast<float>(base)) * kSteps);
    const float all[] = {coefficient(step, 1), coefficient(step, 0), coefficient(kSteps - step, 0),
                         coefficient(kSteps - step, 1)};
    const auto first = std::max<std::int64_t>(base - 1, 0), last = std::min(base + 2, in - 1);
    std::vector<float> weights(all + (first - base + 1), all + (last - base + 2));
    normalize(weights, 1000 * std::numeric_limits<float>::min());
    spans.add(first, weights.data(), static_cast<std::int64_t>(weights.size()));
  }
  return spans;
}

Spans area_spans(std::int64_t in, std::int64_t out) {
  const float scale = static_cast<float>(in) / static_cast<float>(out);
  Spans spans;
  std::vector<float> weights;
  for (std::int64_t i = 0; i < out; ++i) {
    const float from = static_cast<float>(i) * scale, to = static_cast<float>(i + 1) * scale;
    const auto first = static_cast<std::int64_t>(std::floor(from));
    const auto end = std::min(static_cast<std::int64_t>(std::ceil(to)), in);
    weights.clear();
    for (std::int64_t k = first; k < end; ++k) {
      const float covered =
          std::min(to, static_cast<float>(k + 1)) - std::max(from, static_cast<float>(k));
      weights.push_back(covered / scale);
    }
    spans.add(first, weights.data(), static_cast<std::int64_t>(weights.size()));
  }
  return spans;
}

}  // namespace kd::data::detail
