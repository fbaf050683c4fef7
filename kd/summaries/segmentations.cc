// ShowSegmentations: every segment has a colour; pixels shared by several mix theirs in OKLab.
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>

#include "base/shape_text.h"
#include "kd/metrics/engine/metric.h"
#include "kd/summaries/blur_impl.h"
#include "kd/summaries/engine/states.h"
#include "kd/summaries/images_impl.h"
#include "kd/summaries/oklab.h"

namespace kd::summaries {

using konfig::Error;
using konfig::ErrorKind;

namespace {

using Look = ShowSegmentationsState::Look;

// Pixels and the parts of the segments in them: whole ones by number, or all parts of a pixel.
struct Segments {
  std::int64_t images, height, width;
  std::int64_t count;              // segments
  std::vector<std::int64_t> hard;  // the largest segment of each pixel
  Tensor parts;                    // (pixels, count); undefined when segments are whole
};

Segments whole_segments(const Tensor& tensor, const Look& look) {
  Tensor numbers = tensor.to(at::kLong).contiguous();
  const std::int64_t* data = numbers.const_data_ptr<std::int64_t>();
  std::vector<std::int64_t> hard(data, data + numbers.numel());
  std::int64_t most = hard.empty() ? 0 : *std::ranges::max_element(hard) + 1;
  std::int64_t count = look.palette ? static_cast<std::int64_t>(look.palette->size()) : most;
  for (std::int64_t& number : hard) {
    std::int64_t given = number;
    if (number < 0) number += count;  // from the end
    if (number < 0 || number >= count) {
      throw Error(ErrorKind::index, "ShowSegmentations: segment " + std::to_string(given) +
                                        " has no colour; there are " + std::to_string(count));
    }
  }
  return {tensor.size(0), tensor.size(1), tensor.size(2), count, std::move(hard), {}};
}

Segments shared_segments(const Tensor& tensor) {
  std::int64_t count = tensor.size(3);
  Tensor parts = tensor.to(at::kDouble).contiguous().view({-1, count});
  const double* data = parts.const_data_ptr<double>();
  std::vector<std::int64_t> hard;
  for (std::int64_t i = 0; i < parts.size(0); ++i) {
    const double* pixel = data + i * count;
    hard.push_back(std::max_element(pixel, pixel + count) - pixel);
  }
  return {tensor.size(0), tensor.size(1), tensor.size(2), count, std::move(hard), parts};
}

std::vector<Rgb> palette_of(const Segments& segments, const Look& look) {
  if (!look.palette) return even_palette(static_cast<int>(segments.count));
  std::vector<Rgb> out(look.palette->begin(), look.palette->end());
  if (static_cast<std::int64_t>(out.size()) < segments.count) {
    throw Error(ErrorKind::value, "ShowSegmentations.palette has " + std::to_string(out.size()) +
                                      " colours for " + std::to_string(segments.count) +
                                      " segments");
  }
  return out;
}

// The colours of all pixels.
std::vector<Rgb> paint(const Segments& segments, const Look& look) {
  std::vector<Rgb> palette = palette_of(segments, look), out;
  std::vector<Lab> labs;
  for (const Rgb& color : palette) labs.push_back(oklab_from_rgb(color));
  if (!look.hard && !segments.parts.defined()) {
    for (std::size_t i = 0; i < palette.size(); ++i) palette[i] = rgb_from_oklab(labs[i]);
  }
  for (std::size_t i = 0; i < segments.hard.size(); ++i) {
    if (look.hard || !segments.parts.defined()) {
      out.push_back(palette[static_cast<std::size_t>(segments.hard[i])]);
      continue;
    }
    const double* pixel =
        segments.parts.const_data_ptr<double>() + static_cast<std::int64_t>(i) * segments.count;
    Lab mixed = {};
    for (std::int64_t k = 0; k < segments.count; ++k) {
      for (int c = 0; c < 3; ++c) mixed[c] += pixel[k] * labs[static_cast<std::size_t>(k)][c];
    }
    out.push_back(rgb_from_oklab(mixed));
  }
  return out;
}

// From 0, one segment, to 1, equal parts of all.
double evenness(const double* parts, std::int64_t count) {
  if (count == 1) return 1;
  double bits = 0;
  for (std::int64_t k = 0; k < count; ++k) bits -= parts[k] * std::log2(std::max(parts[k], 1e-6));
  return std::clamp(bits / std::log2(static_cast<double>(count)), 0.0, 1.0);
}

// 1 where the segment changes, less and less around it.
std::vector<float> soft_edges(const std::int64_t* segment, std::int64_t height,
                              std::int64_t width) {
  auto changes = [](std::int64_t at, std::int64_t size, const std::int64_t* p, std::int64_t step) {
    return p[at + 1 < size ? step : 0] != p[at > 0 ? -step : 0];
  };
  std::vector<float> edges;
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      const std::int64_t* p = segment + y * width + x;
      edges.push_back(changes(y, height, p, width) || changes(x, width, p, 1) ? 1.0f : 0.0f);
    }
  }
  std::vector<float> blurred = detail::gaussian_blur(edges, height, width, /*sigma=*/1);
  for (std::size_t i = 0; i < edges.size(); ++i) edges[i] = std::max(edges[i], blurred[i]);
  return edges;
}

std::vector<double> light_of(const Segments& segments, const Look& look) {
  std::vector<double> light(segments.hard.size(), 1.0);
  if (look.entropy) {
    for (std::size_t i = 0; i < light.size(); ++i) {
      bool shared = segments.parts.defined();
      const double one = 1;
      const double* parts = shared ? segments.parts.const_data_ptr<double>() +
                                         static_cast<std::int64_t>(i) * segments.count
                                   : &one;
      light[i] = shared ? 1 - evenness(parts, segments.count) : segments.count == 1 ? 0 : 1;
    }
  }
  if (look.edges) {
    std::int64_t pixels = segments.height * segments.width;
    for (std::int64_t n = 0; n < segments.images; ++n) {
      auto edges = soft_edges(segments.hard.data() + n * pixels, segments.height, segments.width);
      for (std::int64_t i = 0; i < pixels; ++i) {
        double edge = edges[static_cast<std::size_t>(i)];
        double& value = light[static_cast<std::size_t>(n * pixels + i)];
        value = value * (1 - edge) + edge * look.edge_lightness;
      }
    }
  }
  return light;
}

}  // namespace

ShowSegmentationsState ShowSegmentations::get_state(Num<"..."> segmentations) const {
  Tensor shown = detail::as_images(segmentations.detach(), rearrange, rearrange_kwargs);
  bool shared = shown.is_floating_point();
  if (shown.dim() != 4 || (shown.size(3) == 1) == shared || shown.is_complex()) {
    throw Error(ErrorKind::value,
                "ShowSegmentations: segments are whole numbers of the shape (n, height, width, 1) "
                "or floats of the shape (n, height, width, segments); they are " +
                    std::string(typing::name_of(shown.scalar_type())) +
                    base::shape_text(shown.sizes()));
  }
  return {.segmentations = {shown, num_images},
          .look = Look{palette, entropy, hard, edges, edge_lightness}};
}

Tensor ShowSegmentationsState::compute() const {
  Tensor tensor = detail::collected(segmentations);
  Segments segments =
      tensor.is_floating_point() ? shared_segments(tensor) : whole_segments(tensor, *look);
  std::vector<Rgb> colors = paint(segments, *look);
  std::vector<double> light = light_of(segments, *look);
  Tensor out = at::empty({segments.images, segments.height, segments.width, 3}, at::kDouble);
  double* to = out.mutable_data_ptr<double>();
  for (std::size_t i = 0; i < colors.size(); ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      to[3 * i + c] = std::clamp(colors[i][c] * light[i], 0.0, 1.0);
    }
  }
  return out;
}

}  // namespace kd::summaries
