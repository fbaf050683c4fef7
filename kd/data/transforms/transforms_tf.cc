// Transforms of kd.data.tf.
#include "kd/data/transforms/transforms_tf.h"

#include <ATen/ops/full.h>

#include <algorithm>
#include <cmath>

#include "kd/data/engine/buffers.h"
#include "kd/data/engine/resize.h"
#include "kd/data/engine/transform.h"
#include "kd/data/formats.h"
#include "kd/data/order/tf_random.h"
#include "kd/data/transforms/crop_impl.h"
#include "kd/data/transforms/range_kernels_impl.h"
#include "kd/io/errors.h"

namespace kd::data::tf {

// Labels that are no class mark nothing.
Tensor OneHot::map_element(const Tensor& element) const {
  if (element.is_floating_point()) {
    throw Error(ErrorKind::type, "labels are whole numbers; add a Cast before");
  }
  const std::int64_t classes = *num_classes;
  const bool merged = multi && element.dim() > 0;
  const Tensor labels = element.to(at::kLong).contiguous();
  std::vector<std::int64_t> shape = merged ? std::vector<std::int64_t>{} : labels.sizes().vec();
  shape.push_back(classes);
  Tensor out = at::full(shape, off, at::kFloat);
  auto* to = out.mutable_data_ptr<float>();
  auto* from = labels.const_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < labels.numel(); ++i) {
    if (from[i] < 0 || from[i] >= classes) continue;
    to[(merged ? 0 : i * classes) + from[i]] = static_cast<float>(on);
  }
  return out;
}

namespace {

std::int64_t rounded(float x) { return std::lrint(x); }

// A box of this shape whose area is in range; none when rounding leaves no room for one.
std::optional<ImageBox> random_box(std::int64_t height, std::int64_t width, float least, float most,
                                   float aspect, Stateless& random) {
  auto width_of = [&](std::int64_t h) { return rounded(static_cast<float>(h) * aspect); };
  std::int64_t h = rounded(std::sqrt(least / aspect)), tallest = rounded(std::sqrt(most / aspect));
  if (width_of(tallest) > width) {
    constexpr float kLittle = 1e-7f;
    tallest = static_cast<std::int64_t>((static_cast<double>(width) + 0.5 - kLittle) / aspect);
  }
  tallest = std::min(tallest, height);
  h = std::min(h, tallest);
  if (h < tallest) h += random.below(static_cast<std::uint32_t>(tallest - h + 1));
  std::int64_t w = width_of(h);
  auto area = [&] { return static_cast<float>(w * h); };
  if (area() < least) w = width_of(++h);
  if (area() > most) w = width_of(--h);
  if (area() < least || area() > most || w > width || h > height || w <= 0 || h <= 0) return {};
  ImageBox box{.height = h, .width = w};
  if (h < height) box.top = random.below(static_cast<std::uint32_t>(height - h));
  if (w < width) box.left = random.below(static_cast<std::uint32_t>(width - w));
  return box;
}

ImageBox sample_box(std::int64_t height, std::int64_t width, std::pair<double, double> area_range,
                    const SeedPair& seed) {
  constexpr int kAttempts = 100;
  constexpr float kNarrowest = 0.75f, kWidest = 1.33f;
  Stateless random(seed);
  const auto pixels = [&](double part) {
    return static_cast<float>(part) * static_cast<float>(width) * static_cast<float>(height);
  };
  for (int i = 0; i < kAttempts; ++i) {
    const float aspect = random.uniform() * (kWidest - kNarrowest) + kNarrowest;
    auto box = random_box(height, width, pixels(area_range.first), pixels(area_range.second),
                          aspect, random);
    if (box) return *box;
  }
  return {.height = height, .width = width};
}

}  // namespace

Tensor InceptionCrop::random_map_element(const Tensor& element, const SeedPair& seed) const {
  if (element.dim() != 3) {
    throw Error(ErrorKind::value, "an image has the dimensions (h, w, c), the element has " +
                                      std::to_string(element.dim()));
  }
  const ImageBox box = sample_box(element.size(0), element.size(1), area_range, seed);
  return after_cut(element.narrow(0, box.top, box.height).narrow(1, box.left, box.width));
}

ImageBox InceptionCrop::cut_box(std::int64_t height, std::int64_t width, Generator& rng) const {
  return sample_box(height, width, area_range, draw_seeds(rng));
}

Tensor InceptionCrop::after_cut(const Tensor& part) const {
  if (!resize_size) return part;
  const Tensor resized = resize_tf(part, *resize_size, resize_method, /*antialias=*/false);
  // Means of bytes are in the range of bytes.
  const bool quick = resize_method == ResizeMethod::bilinear && part.scalar_type() == at::kByte &&
                     resized.scalar_type() == at::kFloat;
  if (!quick) return resized.to(part.scalar_type());
  Tensor out = new_buffer({resized.sizes().data(), resized.sizes().size()}, at::kByte);
  detail::to_bytes(resized.const_data_ptr<float>(), resized.numel(),
                   out.mutable_data_ptr<std::uint8_t>());
  return out;
}

Tensor InceptionCrop::random_map_element(const Tensor& element, Generator& rng) const {
  return random_map_element(element, draw_seeds(rng));
}

void RandomCrop::check() const { detail::check_crop(*shape); }

Tree RandomCrop::random_map(Tree record, const Generator& rng) const {
  detail::check_crop_elements(*key, *shape, record);
  return map_tensors(*key, std::move(record), [&](const Tensor& element) -> Tensor {
    Generator copy = rng;
    return random_map_element(element, copy);
  });
}

Tensor RandomCrop::random_map_element(const Tensor& element, const SeedPair& seed) const {
  const auto sizes = detail::crop_shape(element.sizes(), *shape);
  Stateless random(seed);
  std::vector<std::int64_t> start;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::int64_t room = element.sizes()[i] - sizes[i], draw = random.bits();
    start.push_back(room > 0 ? (draw % room + room) % room : 0);
  }
  return detail::cut_out(element, start, sizes);
}

Tensor RandomCrop::random_map_element(const Tensor& element, Generator& rng) const {
  return random_map_element(element, draw_seeds(rng));
}

Tensor RandomFlipLeftRight::random_map_element(const Tensor& element, const SeedPair& seed) const {
  Stateless random(seed);
  std::vector<bool> flipped(detail::image_count(element));
  for (std::size_t i = 0; i < flipped.size(); ++i) flipped[i] = random.uniform() < 0.5f;
  return detail::flip_some(element, flipped);
}

Tensor RandomFlipLeftRight::random_map_element(const Tensor& element, Generator& rng) const {
  return random_map_element(element, draw_seeds(rng));
}

}  // namespace kd::data::tf
