// Transforms of videos, as in the reference's contrib.
#include "kd/data/transforms/transforms_frames.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/full.h>
#include <ATen/ops/softmax.h>

#include <algorithm>
#include <cmath>

#include "kd/data/engine/resize.h"
#include "kd/data/engine/transform.h"
#include "kd/data/transforms/contrib_impl.h"
#include "kd/data/transforms/crop_impl.h"
#include "kd/einops/einops.h"

namespace kd::data::contrib {

Tensor FlattenVideo::map_element(const Tensor& element) const {
  return einops::rearrange(element, "... t h w c -> ... (t h w) c");
}

Tensor TimeChunkedFlattenVideo::map_element(const Tensor& element) const {
  return einops::rearrange(element, "... (t n) h w c -> ... t (n h w) c",
                           {{"n", *time_chunk_size}});
}

Tensor SpacetimeToDepth::map_element(const Tensor& element) const {
  return einops::rearrange(
      element, "... (t dt) (h dh) (w dw) c -> ... t h w (dt dh dw c)",
      {{"dt", *time2depth_factor}, {"dh", *space2depth_factor}, {"dw", *space2depth_factor}});
}

Tensor RepeatFrames::map_element(const Tensor& element) const {
  detail::check_positive(*divisible_by, "divisible_by");
  const std::int64_t n = detail::frames_of(element);
  const std::int64_t wanted = (n + *divisible_by - 1) / *divisible_by * *divisible_by;
  if (n == wanted) return element;
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < wanted; ++i) {
    const double place =
        (static_cast<double>(i) + 0.5) * static_cast<double>(n) / static_cast<double>(wanted) - 0.5;
    const auto nearest = static_cast<std::int64_t>(std::floor(place + 0.5));
    indices.push_back(std::clamp<std::int64_t>(nearest, 0, n - 1));
  }
  return detail::take(element, 0, indices);
}

Tensor ExtractInitialFixedLengthClip::map_element(const Tensor& element) const {
  const std::int64_t n = detail::frames_of(element);
  if (*num_frames < 0 || n < *num_frames) {
    throw Error(ErrorKind::value, "num_frames: " + std::to_string(*num_frames) + " of " +
                                      std::to_string(n) + " frames");
  }
  return element.narrow(0, 0, *num_frames);
}

Tensor SliceWithStride::map_element(const Tensor& element) const {
  detail::check_positive(*stride, "stride");
  const std::int64_t n = detail::frames_of(element);
  Tensor out = element.slice(0, 0, n, *stride);
  if (!num_elements) return out;
  return out.narrow(0, 0, std::min<std::int64_t>(*num_elements, out.size(0)));
}

Tensor VideoMAENormalization::map_element(const Tensor& element) const {
  const einops::AxisSizes sizes = {
      {"pt", patch_size[0]}, {"ph", patch_size[1]}, {"pw", patch_size[2]}};
  constexpr std::string_view kVideo = "... (t pt) (h ph) (w pw) c",
                             kPatches = "... t h w (pt ph pw) c";
  const std::string arrow = " -> ";
  const Tensor patches =
      einops::rearrange(element, std::string(kVideo) + arrow + std::string(kPatches), sizes);
  const Tensor deviation = patches.var(/*dim=*/-2, /*unbiased=*/false, /*keepdim=*/true).sqrt();
  const Tensor normal = (patches - patches.mean(-2, /*keepdim=*/true)) / (deviation + eps);
  einops::AxisSizes known = sizes;
  const std::int64_t dims = element.dim();
  known["t"] = static_cast<int>(element.size(dims - 4) / patch_size[0]);
  return einops::rearrange(normal, std::string(kPatches) + arrow + std::string(kVideo), known);
}

Tensor ThreeSpatialCrop::map_element(const Tensor& element) const {
  detail::check_dims(element, 4, "(t, h, w, c)");
  const std::int64_t height = element.size(-3), width = element.size(-2), side = *shape;
  if (side < 1 || side > std::min(height, width)) {
    throw Error(ErrorKind::value, "shape: squares of " + std::to_string(side) +
                                      " cannot be cut out of frames of " + std::to_string(height) +
                                      " x " + std::to_string(width));
  }
  const auto middle = [&](std::int64_t n) { return (n - side + 1) / 2; };
  const bool tall = height > width;
  std::vector<Tensor> parts;
  for (int i = 0; i < 3; ++i) {
    const std::int64_t longer = std::max(height, width);
    const std::int64_t places[] = {0, middle(longer), longer - side};
    const std::int64_t top = tall ? places[i] : middle(height);
    const std::int64_t left = tall ? middle(width) : places[i];
    parts.push_back(element.narrow(-3, top, side).narrow(-2, left, side));
  }
  return at::cat(parts);
}

Tensor RandomFlipLeftRightVideo::random_map_element(const Tensor& element, Generator& rng) const {
  const bool flipped = rng.coins(1)[0];
  return detail::flip_some(element, std::vector<bool>(detail::image_count(element), flipped));
}

Tensor RandomResize::random_map_element(const Tensor& element, Generator& rng) const {
  const bool applied = rng.uniform() < prob;
  const double scale = min_scale_factor + (max_scale_factor - min_scale_factor) * rng.uniform();
  if (!applied) return element;
  detail::check_dims(element, 3, "(..., h, w, c)");
  const auto scaled = [&](std::int64_t n) {
    return static_cast<std::int64_t>(static_cast<double>(n) * scale);
  };
  return resize_tf(element, {scaled(element.size(-3)), scaled(element.size(-2))}, method,
                   antialias);
}

void GaussianBlur::check() const {
  detail::check_positive(kernel_size, "kernel_size");
  if (sigma_min <= 0 || sigma_max < sigma_min) {
    throw Error(ErrorKind::value, "sigma_min", "expected 0 < sigma_min <= sigma_max");
  }
}

Tensor GaussianBlur::random_map_element(const Tensor& element, Generator& rng) const {
  detail::check_dims(element, 3, "(..., h, w, c)");
  if (!element.is_floating_point()) {
    throw Error(ErrorKind::type, "expected floating-point images; use kd.data.ValueRange before");
  }
  // The reference draws the strength and whether to blur from the same number.
  const double draw = rng.uniform();
  if (draw >= apply_prob) return element;
  const double sigma = sigma_min + draw * (sigma_max - sigma_min);
  const std::int64_t half = kernel_size / 2, height = element.size(-3), width = element.size(-2),
                     channels = element.size(-1);
  const Tensor x = at::arange(-half, half + 1, element.options());
  const Tensor weights = at::softmax(-(x * x) / (2 * sigma * sigma), 0);
  const Tensor planes = element.movedim(-1, -3).reshape({-1, 1, height, width});
  const Tensor across =
      at::conv2d(planes, weights.view({1, 1, 1, -1}), {}, 1, at::IntArrayRef({0, half}));
  const Tensor out =
      at::conv2d(across, weights.view({1, 1, -1, 1}), {}, 1, at::IntArrayRef({half, 0}));
  std::vector<std::int64_t> sizes(element.sizes().begin(), element.sizes().end() - 3);
  sizes.insert(sizes.end(), {channels, height, width});
  return out.view(sizes).movedim(-3, -1).contiguous();
}

}  // namespace kd::data::contrib
