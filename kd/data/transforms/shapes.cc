// Transforms of shapes: dimensions, entries, crops.
#include <ATen/ops/index_select.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>

#include "base/shape_text.h"
#include "kd/data/engine/buffers.h"
#include "kd/data/engine/transform.h"
#include "kd/data/formats.h"
#include "kd/data/transforms/contrib_impl.h"
#include "kd/data/transforms/crop_impl.h"
#include "kd/einops/einops.h"
#include "kd/io/errors.h"

namespace kd::data {

Tensor Rearrange::map_element(const Tensor& element) const {
  return einops::rearrange(element, *pattern, axes_lengths);
}

// One more dimension in front, on both sides.
Tensor Rearrange::map_batch_element(const Tensor& elements) const {
  constexpr std::string_view kArrow = "->";
  const auto arrow = pattern->find(kArrow);
  if (arrow == std::string::npos) return map_element(elements);  // fails with the right words
  const std::string rows = " kd_batch_rows ";
  const std::string with_rows =
      rows + pattern->substr(0, arrow) + "->" + rows + pattern->substr(arrow + kArrow.size());
  return einops::rearrange(elements, with_rows, axes_lengths).contiguous();
}

namespace {

// The sizes, -1 replaced; an Error when they do not hold as many numbers.
std::vector<std::int64_t> full_shape(at::IntArrayRef from, std::vector<std::int64_t> shape) {
  std::int64_t have = 1, known = 1;
  std::int64_t* open = nullptr;
  bool fits = true;
  for (std::int64_t n : from) have *= n;
  for (std::int64_t& n : shape) {
    if (n == -1 && !open) {
      open = &n;
    } else {
      fits = fits && n >= 0;
      known *= n;
    }
  }
  const std::string wanted = base::shape_text(shape);
  if (open && known > 0) {
    *open = have / known;
    known *= *open;
  }
  if (!fits || known != have) {
    throw Error(ErrorKind::value, "shape: " + base::shape_text(from) + " cannot become " + wanted);
  }
  return shape;
}

}  // namespace

Tensor Reshape::map_element(const Tensor& element) const {
  return element.reshape(full_shape(element.sizes(), *shape));
}
Tensor Reshape::map_batch_element(const Tensor& elements) const {
  auto sizes = full_shape(elements.sizes().slice(1), *shape);
  sizes.insert(sizes.begin(), elements.size(0));
  return elements.reshape(sizes);
}

namespace {

Tensor gather(const Tensor& from, std::int64_t axis, std::vector<std::int64_t> indices) {
  const std::int64_t n = from.size(axis);
  for (std::int64_t& i : indices) {
    const std::int64_t given = i;
    if (i < 0) i += n;
    if (i < 0 || i >= n) {
      throw Error(ErrorKind::index, "indices: " + std::to_string(given) + " is outside of the " +
                                        std::to_string(n) + " entries");
    }
  }
  return detail::take(from, axis, indices);
}

}  // namespace

Tensor Gather::map_element(const Tensor& element) const {
  return gather(element, detail::checked_axis(*axis, element.dim()), *indices);
}
Tensor Gather::map_batch_element(const Tensor& elements) const {
  return gather(elements, detail::checked_axis(*axis, elements.dim() - 1) + 1, *indices);
}

namespace detail {

Tensor take(const Tensor& from, std::int64_t axis, const std::vector<std::int64_t>& indices) {
  return at::index_select(from, axis, at::tensor(indices, at::kLong));
}

std::vector<std::int64_t> crop_shape(at::IntArrayRef from,
                                     const std::vector<std::optional<int>>& wanted) {
  if (from.size() != wanted.size()) {
    throw Error(ErrorKind::value, "shape: it has " + std::to_string(wanted.size()) +
                                      " dimensions, the element " + std::to_string(from.size()));
  }
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < from.size(); ++i) {
    out.push_back(wanted[i] ? *wanted[i] : from[i]);
    if (out[i] < 0 || out[i] > from[i]) {
      throw Error(ErrorKind::value, "shape: a part of " + std::to_string(out[i]) +
                                        " cannot be cut out of dimension " + std::to_string(i) +
                                        ", which has " + std::to_string(from[i]));
    }
  }
  return out;
}

Tensor cut_out(Tensor from, const std::vector<std::int64_t>& start,
               const std::vector<std::int64_t>& shape) {
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto dim = static_cast<std::int64_t>(i);
    if (shape[i] != from.size(dim)) from = from.narrow(dim, start[i], shape[i]);
  }
  return from;
}

void check_crop(const std::vector<std::optional<int>>& shape) {
  for (auto& size : shape) {
    if (size && *size < 0) {
      throw Error(ErrorKind::value, "shape: " + std::to_string(*size) +
                                        " is negative; None keeps "
                                        "a dimension as it is");
    }
  }
}

void check_crop_elements(const ElementKey& key, const std::vector<std::optional<int>>& shape,
                         const Tree& record) {
  const Tensor* first = nullptr;
  std::string first_name;
  for (auto& [name, to] : key.pairs()) {
    const Tree* element = record.find(name);
    if (!element) continue;
    const Tensor& tensor = element->tensor();
    crop_shape(tensor.sizes(), shape);
    if (!first) first = &tensor, first_name = name;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const auto dim = static_cast<std::int64_t>(i);
      if (shape[i] && tensor.size(dim) != first->size(dim)) {
        throw Error(ErrorKind::value, "'" + first_name + "' and '" + name +
                                          "' cannot be cut at the same place: dimension " +
                                          std::to_string(i) + " differs");
      }
    }
  }
}

}  // namespace detail

Tensor CenterCrop::map_element(const Tensor& element) const {
  std::vector<std::optional<int>> wanted = *shape;
  for (auto& size : wanted) {
    if (size && *size == 0) size.reset();
  }
  const auto sizes = detail::crop_shape(element.sizes(), wanted);
  std::vector<std::int64_t> start;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    start.push_back((element.sizes()[i] - sizes[i]) / 2);
  return detail::cut_out(element, start, sizes);
}

Tensor CenterCrop::map_batch_element(const Tensor& elements) const {
  CenterCrop with_rows = *this;
  auto wanted = *shape;
  wanted.insert(wanted.begin(), std::nullopt);
  with_rows.shape = wanted;
  return with_rows.map_element(elements).contiguous();
}

void py::RandomCrop::check() const { detail::check_crop(*shape); }

Tree py::RandomCrop::random_map(Tree record, const Generator& rng) const {
  detail::check_crop_elements(*key, *shape, record);
  return map_tensors(*key, std::move(record), [&](const Tensor& element) -> Tensor {
    Generator copy = rng;
    return random_map_element(element, copy);
  });
}

Tensor py::RandomCrop::random_map_element(const Tensor& element, Generator& rng) const {
  const auto sizes = detail::crop_shape(element.sizes(), *shape);
  std::vector<std::int64_t> start;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto places = static_cast<std::uint64_t>(element.sizes()[i] - sizes[i] + 1);
    start.push_back(static_cast<std::int64_t>(rng.integers(places)));
  }
  return detail::cut_out(element, start, sizes);
}

namespace detail {

namespace {

// Pixels of a fixed size are copied in registers.
template <std::size_t kSize>
void flip_rows(const std::byte* from, std::int64_t rows, std::int64_t width, std::size_t any_size,
               std::byte* to) {
  const std::size_t size = kSize > 0 ? kSize : any_size;
  for (std::int64_t y = 0; y < rows; ++y) {
    const std::byte* pixel = from + static_cast<std::size_t>((y + 1) * width) * size;
    for (std::int64_t x = 0; x < width; ++x, to += size) std::memcpy(to, pixel -= size, size);
  }
}

void flip_rows(const std::byte* from, std::int64_t rows, std::int64_t width, std::size_t size,
               std::byte* to) {
  switch (size) {
    case 1:
      return flip_rows<1>(from, rows, width, size, to);
    case 3:
      return flip_rows<3>(from, rows, width, size, to);
    case 4:
      return flip_rows<4>(from, rows, width, size, to);
    case 12:
      return flip_rows<12>(from, rows, width, size, to);
    default:
      return flip_rows<0>(from, rows, width, size, to);
  }
}

}  // namespace

// Images "... h w c", those marked. Many times faster than the engine's general flip.
Tensor flip_some(const Tensor& images, const std::vector<bool>& flipped) {
  if (std::ranges::none_of(flipped, std::identity())) return images;
  const Tensor in = images.contiguous();
  Tensor out = new_buffer({in.sizes().data(), in.sizes().size()}, in.scalar_type());
  if (in.numel() == 0) return out;
  const std::int64_t height = in.size(-3), width = in.size(-2);
  const std::size_t size = static_cast<std::size_t>(in.size(-1)) * in.element_size();
  const std::size_t bytes = static_cast<std::size_t>(height * width) * size;
  auto* from = static_cast<const std::byte*>(in.const_data_ptr());
  auto* to = static_cast<std::byte*>(out.mutable_data_ptr());
  for (std::size_t i = 0; i < flipped.size(); ++i, from += bytes, to += bytes) {
    if (flipped[i]) {
      flip_rows(from, height, width, size, to);
    } else {
      std::memcpy(to, from, bytes);
    }
  }
  return out;
}

std::size_t image_count(const Tensor& images) {
  if (images.dim() < 3) {
    throw Error(ErrorKind::value, "an image has the dimensions (..., h, w, c), the element only " +
                                      std::to_string(images.dim()));
  }
  std::size_t out = 1;
  for (std::int64_t i = 0; i < images.dim() - 3; ++i)
    out *= static_cast<std::size_t>(images.size(i));
  return out;
}

}  // namespace detail

Tensor py::RandomFlipLeftRight::random_map_element(const Tensor& element, Generator& rng) const {
  std::vector<bool> flipped = rng.coins(detail::image_count(element));
  flipped.flip();  // a drawn 1 keeps the image
  return detail::flip_some(element, flipped);
}

}  // namespace kd::data
