// ShowImages and ShowDifferenceImages.
#include "kd/summaries/images.h"

#include "base/shape_text.h"
#include "kd/einops/einops.h"
#include "kd/metrics/engine/metric.h"
#include "kd/summaries/engine/colormap.h"
#include "kd/summaries/engine/states.h"
#include "kd/summaries/images_impl.h"

namespace kd::summaries {

using konfig::Error;
using konfig::ErrorKind;

namespace detail {

Tensor as_images(const Tensor& images, const std::optional<std::string>& pattern,
                 const std::optional<konfig::Map<int>>& sizes) {
  if (pattern) return einops::rearrange(images, *pattern, sizes ? *sizes : konfig::Map<int>());
  if (images.dim() < 3) {
    throw Error(ErrorKind::value, "images end in height, width and channels; their shape is " +
                                      base::shape_text(images.sizes()) +
                                      "; `rearrange` can change it");
  }
  return images.dim() == 3 ? images.unsqueeze(0) : images.flatten(0, -4);
}

void check_images(const Tensor& images) {
  if (images.dim() == 4 && (images.size(3) == 1 || images.size(3) == 3)) return;
  throw Error(ErrorKind::value, "images have the shape (n, height, width, 1 or 3); it is " +
                                    base::shape_text(images.sizes()));
}

Tensor rescale(const Tensor& images, const std::optional<Range>& range) {
  if (!range) return images;
  auto [low, high] = *range;
  return (images.clamp(low, high) - low) / (high - low);
}

Tensor first(const Tensor& images, std::int64_t num) {
  return images.size(0) > num && num >= 0 ? images.narrow(0, 0, num) : images;
}

Tensor collected(const metrics::PartsField& field) {
  if (!field.empty()) return field.tensor();
  throw Error(ErrorKind::value, "there was no batch to show anything of");
}

}  // namespace detail

ShowImagesState ShowImages::get_state(Array<"..."> images) const {
  Tensor shown = detail::as_images(images.detach(), rearrange, rearrange_kwargs);
  if (shown.scalar_type() == at::kByte) {
    shown = shown.to(at::kFloat) / 255.0;
  } else if (!shown.is_floating_point()) {
    throw Error(ErrorKind::type, "ShowImages: images are floats or uint8; they are " +
                                     std::string(typing::name_of(shown.scalar_type())));
  }
  detail::check_images(shown);
  if (cmap && shown.size(3) != 1) {
    throw Error(ErrorKind::value,
                "ShowImages.cmap: only images of one channel can be coloured; the shape is " +
                    base::shape_text(shown.sizes()));
  }
  shown = detail::rescale(detail::first(shown, num_images), in_vrange);
  return {.images = {shown, num_images},
          .look = ShowImagesState::Look{cmap, in_vrange.has_value()}};
}

Tensor ShowImagesState::compute() const {
  Tensor out = detail::collected(images);
  if (look->cmap) {
    std::optional<detail::Range> range;
    if (look->in_range) range = {0.0, 1.0};
    out = to_rgb(out.select(-1, 0), *look->cmap, range);
  }
  return out.clamp(0.0, 1.0);
}

ShowDifferenceImagesState ShowDifferenceImages::get_state(Float<"..."> images1,
                                                          Float<"..."> images2) const {
  auto prepare = [&](const Tensor& images) {
    Tensor out = detail::as_images(images.detach(), rearrange, rearrange_kwargs);
    if (out.dim() != 4) {
      throw Error(
          ErrorKind::value,
          "ShowDifferenceImages: images have the shape (n, height, width, channels); it is " +
              base::shape_text(out.sizes()));
    }
    return detail::rescale(detail::first(out, *num_images), vrange);
  };
  Tensor difference = (prepare(images1) - prepare(images2)).abs().mean({-1}, /*keepdim=*/true);
  std::optional<detail::Range> range;
  if (vrange) range = {vrange->first - vrange->second, vrange->second - vrange->first};
  return {.diff_images = {difference, *num_images},
          .look = ShowDifferenceImagesState::Look{cmap, range}};
}

Tensor ShowDifferenceImagesState::compute() const {
  return to_rgb(detail::collected(diff_images).select(-1, 0), look->cmap, look->range)
      .clamp(0.0, 1.0);
}

}  // namespace kd::summaries
