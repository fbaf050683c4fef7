// Resizing of images.
#include "kd/data/engine/resize.h"

#include <ATen/ops/index_select.h>
#include <ATen/ops/tensor.h>

#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "kd/data/engine/buffers.h"
#include "kd/data/engine/resize_spans_impl.h"
#include "kd/data/engine/transform.h"
#include "kd/data/formats.h"
#include "kd/data/transforms/transforms_tf.h"
#include "kd/io/errors.h"
#include "konfig/enum_name.h"

namespace kd::data {

namespace {

using detail::Spans;
using MakeSpans = std::function<Spans(std::int64_t in, std::int64_t out)>;

void check_images(const Tensor& images, ImageSize size) {
  if (images.dim() < 3) {
    throw Error(ErrorKind::value, "an image has the dimensions (..., h, w, c), the element only " +
                                      std::to_string(images.dim()));
  }
  if (size.first < 1 || size.second < 1) {
    throw Error(ErrorKind::value, "an image of " + std::to_string(size.first) + " x " +
                                      std::to_string(size.second) + " pixels");
  }
  if (images.size(-3) < 1 || images.size(-2) < 1) {
    throw Error(ErrorKind::value, "an empty image cannot be resized");
  }
}

template <class T>
void resize_each(const Tensor& images, const Spans* rows, const Spans* columns, Tensor& out) {
  const std::int64_t height = images.size(-3), width = images.size(-2), channels = images.size(-1);
  const std::int64_t count = images.dim() == 3 ? 1 : images.numel() / (height * width * channels);
  const std::int64_t pixels = out.numel() / std::max<std::int64_t>(count, 1);
  for (std::int64_t i = 0; i < count; ++i) {
    detail::resize(
        detail::ImageView<T>{.pixels = images.const_data_ptr<T>() + i * height * width * channels,
                             .height = height,
                             .width = width,
                             .channels = channels,
                             .stride = images.stride(-3)},
        rows, columns, out.mutable_data_ptr<float>() + i * pixels);
  }
}

// One image may be a part of a greater one; its pixels stand side by side.
bool is_readable(const Tensor& images) {
  const bool single =
      images.dim() == 3 && images.stride(-1) == 1 && images.stride(-2) == images.size(-1);
  return single || images.is_contiguous();
}

// Both dimensions; those that stay are left alone.
Tensor apply(const Tensor& images, ImageSize size, const MakeSpans& make) {
  const bool bytes = images.scalar_type() == at::kByte;
  Tensor in = bytes ? images : images.to(at::kFloat);
  if (!is_readable(in)) in = in.contiguous();
  std::optional<Spans> rows, columns;
  if (size.first != in.size(-3)) rows = make(in.size(-3), size.first);
  if (size.second != in.size(-2)) columns = make(in.size(-2), size.second);
  if (!rows && !columns) return in.to(at::kFloat);
  std::vector<std::int64_t> shape = in.sizes().vec();
  shape[shape.size() - 3] = size.first;
  shape[shape.size() - 2] = size.second;
  Tensor out = new_buffer(shape, at::kFloat);
  if (out.numel() == 0) return out;
  const Spans* down = rows ? &*rows : nullptr;
  const Spans* along = columns ? &*columns : nullptr;
  if (bytes) {
    resize_each<std::uint8_t>(in, down, along, out);
  } else {
    resize_each<float>(in, down, along, out);
  }
  return out;
}

// `place` says which pixel of n lies at the i-th of m places.
template <class Place>
Tensor pick_nearest(Tensor images, ImageSize size, const Place& place) {
  const std::pair<std::int64_t, std::int64_t> dims[] = {{-3, size.first}, {-2, size.second}};
  for (auto& [dim, wanted] : dims) {
    const std::int64_t n = images.size(dim);
    if (n == wanted) continue;
    std::vector<std::int64_t> ids;
    for (std::int64_t i = 0; i < wanted; ++i) {
      ids.push_back(std::clamp<std::int64_t>(place(i, n, wanted), 0, n - 1));
    }
    images = at::index_select(images, images.dim() + dim, at::tensor(ids, at::kLong));
  }
  return images;
}

[[noreturn]] void fail_method(ResizeMethod method, const char* resizer, const char* known) {
  throw Error(ErrorKind::value, "method: " + std::string(resizer) + " does not know '" +
                                    std::string(konfig::enum_name(method)) + "'; there are " +
                                    known);
}

// The one that others are names of.
ResizeMethod canonical(ResizeMethod method) {
  switch (method) {
    case ResizeMethod::linear:
    case ResizeMethod::trilinear:
    case ResizeMethod::triangle:
      return ResizeMethod::bilinear;
    case ResizeMethod::cubic:
    case ResizeMethod::tricubic:
      return ResizeMethod::bicubic;
    default:
      return method;
  }
}

// The reference computes in float32, lower precisions come back as they went in.
Tensor in_type(const Tensor& result, const Tensor& from) {
  const bool low = from.scalar_type() == at::kHalf || from.scalar_type() == at::kBFloat16;
  return low ? result.to(from.scalar_type()) : result;
}

}  // namespace

Tensor resize_jax(const Tensor& images, ImageSize size, ResizeMethod method, bool antialias) {
  check_images(images, size);
  if (method == ResizeMethod::nearest) {
    return pick_nearest(images, size, [](std::int64_t i, std::int64_t n, std::int64_t m) {
      const float at =
          (static_cast<float>(i) + 0.5f) * static_cast<float>(n) / static_cast<float>(m);
      return static_cast<std::int64_t>(std::floor(at));
    });
  }
  const detail::Kernel* kernel = detail::find_kernel(canonical(method));
  if (!kernel || method == ResizeMethod::gaussian || method == ResizeMethod::mitchellcubic) {
    fail_method(method, "jax.image.resize", "nearest, bilinear, bicubic, lanczos3 and lanczos5");
  }
  auto make = [&](std::int64_t in, std::int64_t out) {
    return detail::kernel_spans(in, out, *kernel, antialias);
  };
  return in_type(apply(images, size, make), images);
}

Tensor resize_tf(const Tensor& images, ImageSize size, ResizeMethod method, bool antialias) {
  check_images(images, size);
  const bool same = images.size(-3) == size.first && images.size(-2) == size.second;
  if (method == ResizeMethod::nearest) {
    return pick_nearest(images, size, [](std::int64_t i, std::int64_t n, std::int64_t m) {
      const float scale = static_cast<float>(n) / static_cast<float>(m);
      return static_cast<std::int64_t>(std::floor((static_cast<float>(i) + 0.5f) * scale));
    });
  }
  if (method == ResizeMethod::area) return same ? images : apply(images, size, detail::area_spans);
  if (method == ResizeMethod::bilinear && !antialias)
    return same ? images : apply(images, size, detail::lerp_spans);
  if (method == ResizeMethod::bicubic && !antialias) {
    return same ? images : apply(images, size, detail::table_cubic_spans);
  }
  const detail::Kernel* kernel = detail::find_kernel(method);
  if (!kernel) {
    fail_method(method, "tf.image.resize",
                "nearest, bilinear, bicubic, area, lanczos3, lanczos5, gaussian and mitchellcubic");
  }
  if (same) return images;
  return apply(images, size, [&](std::int64_t in, std::int64_t out) {
    return detail::kernel_spans(in, out, *kernel, antialias);
  });
}

namespace {

bool is_whole(const Tensor& images) { return !images.is_floating_point(); }

}  // namespace

void Resize::check() const {
  const int given = size.has_value() + min_size.has_value() + max_size.has_value();
  if (given != 1) {
    throw Error(ErrorKind::value, "exactly one of size, min_size and max_size is given, not " +
                                      std::to_string(given));
  }
}

// Half to even, as Python rounds.
ImageSize Resize::new_size(std::int64_t height, std::int64_t width) const {
  if (size) return *size;
  const double side = min_size ? *min_size : max_size.value();
  const auto of = min_size ? std::min(height, width) : std::max(height, width);
  const double ratio = side / static_cast<double>(of);
  auto scaled = [&](std::int64_t n) {
    return static_cast<std::int64_t>(std::nearbyint(static_cast<double>(n) * ratio));
  };
  return {scaled(height), scaled(width)};
}

Tensor Resize::map_element(const Tensor& element, Backend backend) const {
  if (element.dim() < 3) check_images(element, {1, 1});
  const bool tf = backend == Backend::tf;
  const ResizeMethod chosen = method              ? *method
                              : is_whole(element) ? ResizeMethod::nearest
                              : tf                ? ResizeMethod::area
                                                  : ResizeMethod::bilinear;
  const ImageSize wanted = new_size(element.size(-3), element.size(-2));
  if (tf) return resize_tf(element, wanted, chosen, antialias);
  return resize_jax(element, wanted, chosen, antialias);
}

namespace {

Tensor resize_plain(const Tensor& images, ImageSize size, ResizeMethod method) {
  if (method == ResizeMethod::AUTO) {
    method = is_whole(images) ? ResizeMethod::nearest : ResizeMethod::area;
  }
  return resize_tf(images, size, method, /*antialias=*/false);
}

}  // namespace

Tensor tf::Resize::map_element(const Tensor& element) const {
  return resize_plain(element, {*height, *width}, method);
}

Tensor tf::ResizeSmall::map_element(const Tensor& element) const {
  if (element.dim() < 3) check_images(element, {1, 1});
  const auto height = static_cast<float>(element.size(-3)),
             width = static_cast<float>(element.size(-2));
  const float ratio = static_cast<float>(*smaller_size) / std::min(height, width);
  auto scaled = [&](float n) { return static_cast<std::int64_t>(std::nearbyint(ratio * n)); };
  return resize_plain(element, {scaled(height), scaled(width)}, method);
}

}  // namespace kd::data
