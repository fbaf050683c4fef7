// Transforms of shapes and borders, as in the reference's contrib.
#include "kd/data/transforms/transforms_shapes.h"

#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "kd/data/engine/resize.h"
#include "kd/data/engine/transform.h"
#include "kd/data/transforms/contrib_impl.h"
#include "kd/einops/einops.h"

namespace kd::data::contrib {

namespace {

Tensor as_float(const Tensor& x) { return x.is_floating_point() ? x : x.to(at::kFloat); }

}  // namespace

Tensor Standardize::map_element(const Tensor& element) const {
  const Tensor x = as_float(element);
  return (x - detail::by_channel(*mean, x, "mean")) / detail::by_channel(*std, x, "std");
}

Tensor ApplyW::map_element(const Tensor& element) const {
  std::vector<double> numbers;
  const std::size_t columns = w->empty() ? 0 : w->front().size();
  for (const auto& row : *w) {
    if (row.size() != columns) throw Error(ErrorKind::value, "w: its rows have different lengths");
    numbers.insert(numbers.end(), row.begin(), row.end());
  }
  const Tensor x = as_float(element);
  if (x.dim() < 1 || x.size(-1) != static_cast<std::int64_t>(columns)) {
    throw Error(ErrorKind::value, "w: " + std::to_string(columns) +
                                      " columns do not fit the last dimension of the element");
  }
  const Tensor matrix =
      at::tensor(numbers, x.scalar_type())
          .reshape({static_cast<std::int64_t>(w->size()), static_cast<std::int64_t>(columns)});
  return at::matmul(x, matrix.t());
}

Tensor Repeat::map_element(const Tensor& element) const {
  return einops::repeat(element, *pattern, axes_lengths);
}

Tensor JaxImageResize::map_element(const Tensor& element) const {
  detail::check_dims(element, 3, "(..., h, w, c)");
  const auto height = static_cast<std::size_t>(element.dim() - 3);
  bool fits = shape->size() == static_cast<std::size_t>(element.dim());
  for (std::size_t i = 0; fits && i < shape->size(); ++i) {
    const bool may_change = i == height || i == height + 1;
    fits = may_change || (*shape)[i] == element.sizes()[i];
  }
  if (!fits) {
    throw Error(ErrorKind::value,
                "shape: it differs from the element in more than height and width");
  }
  return resize_jax(element, {(*shape)[height], (*shape)[height + 1]}, method, /*antialias=*/true);
}

Tensor PadAxisToFixedSize::map_element(const Tensor& element) const {
  const std::int64_t dim = detail::checked_axis(*axis, element.dim());
  if (element.size(dim) > *size) {
    throw Error(ErrorKind::value, "size: dimension " + std::to_string(dim) + " has " +
                                      std::to_string(element.size(dim)) + " entries already, not " +
                                      std::to_string(*size) + " at most");
  }
  std::vector<std::int64_t> sizes = element.sizes().vec();
  sizes[static_cast<std::size_t>(dim)] = *size;
  Tensor out = at::full(sizes, value, element.options());
  out.narrow(dim, 0, element.size(dim)).copy_(element);
  return out;
}

namespace {

// Where the numbers of a border come from: -1 and n are its first places.
using Border = std::function<std::int64_t(std::int64_t i, std::int64_t n)>;

Tensor with_border(Tensor image, int pad, const Border& from) {
  detail::check_dims(image, 3, "(..., h, w, c)");
  if (pad < 0) throw Error(ErrorKind::value, "pad: " + std::to_string(pad) + " is negative");
  for (std::int64_t dim : {image.dim() - 3, image.dim() - 2}) {
    const std::int64_t n = image.size(dim);
    std::vector<std::int64_t> indices;
    for (std::int64_t i = -pad; i < n + pad; ++i) {
      indices.push_back(i < 0 || i >= n ? from(i, n) : i);
      if (indices.back() < 0 || indices.back() >= n) {
        throw Error(ErrorKind::value, "pad: a border of " + std::to_string(pad) +
                                          " cannot be mirrored from " + std::to_string(n) +
                                          " pixels");
      }
    }
    image = detail::take(image, dim, indices);
  }
  return image;
}

enum class PadMode { constant, reflect, symmetric };

PadMode mode_of(const std::string& mode) {
  std::string upper = mode;
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
  if (upper == "CONSTANT") return PadMode::constant;
  if (upper == "REFLECT") return PadMode::reflect;
  if (upper == "SYMMETRIC") return PadMode::symmetric;
  throw Error(ErrorKind::value,
              "mode: '" + mode + "' is unknown; there are CONSTANT, REFLECT and SYMMETRIC");
}

}  // namespace

void PadImage::check() const { mode_of(*mode); }

Tensor PadImage::map_element(const Tensor& element) const {
  const PadMode how = mode_of(*mode);
  if (how == PadMode::reflect) {
    return with_border(element, *pad, [](auto i, auto n) { return i < 0 ? -i : 2 * n - 2 - i; });
  }
  if (how == PadMode::symmetric) {
    return with_border(element, *pad,
                       [](auto i, auto n) { return i < 0 ? -1 - i : 2 * n - 1 - i; });
  }
  detail::check_dims(element, 3, "(..., h, w, c)");
  if (*pad < 0) throw Error(ErrorKind::value, "pad: " + std::to_string(*pad) + " is negative");
  std::vector<std::int64_t> sizes = element.sizes().vec();
  for (std::size_t back : {3, 2}) sizes[sizes.size() - back] += 2 * std::int64_t{*pad};
  Tensor out = at::full(sizes, 0, element.options());
  out.narrow(-3, *pad, element.size(-3)).narrow(-2, *pad, element.size(-2)).copy_(element);
  return out;
}

Tensor PadImageEdgeVal::map_element(const Tensor& element) const {
  return with_border(element, *pad, [](auto i, auto n) { return i < 0 ? std::int64_t{0} : n - 1; });
}

Tensor HStack::map_element(const Tensor& element) const {
  return einops::rearrange(element, "n h w c -> h (n w) c");
}
Tensor VStack::map_element(const Tensor& element) const {
  return einops::rearrange(element, "n h w c -> (n h) w c");
}

Tensor FetchElementZero::map_element(const Tensor& element) const {
  detail::check_dims(element, 1, "(n, ...)");
  if (element.size(0) == 0) throw Error(ErrorKind::index, "there is no first entry");
  return element.select(0, 0);
}

Tensor ReshapeSpatialDim::map_element(const Tensor& element) const {
  return einops::rearrange(element, "t (h w) -> t h w", {{"h", *h}, {"w", *w}});
}

Tensor RandomSubsetAlongAxis::random_map_element(const Tensor& element, Generator& rng) const {
  const std::int64_t dim = detail::checked_axis(*axis, element.dim());
  if (*num_to_keep < 0 || *num_to_keep > element.size(dim)) {
    throw Error(ErrorKind::value, "num_to_keep: " + std::to_string(*num_to_keep) + " of " +
                                      std::to_string(element.size(dim)) + " entries");
  }
  std::vector<std::int64_t> indices(static_cast<std::size_t>(element.size(dim)));
  std::iota(indices.begin(), indices.end(), 0);
  rng.shuffle(indices);
  indices.resize(static_cast<std::size_t>(*num_to_keep));
  return detail::take(element, dim, indices);
}

}  // namespace kd::data::contrib
