// NdArray: a small array for the tests, made a tree by one specialisation of TreeTraits.
#pragma once

#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "konfig/value.h"
#include "kontext/tree.h"

namespace kontext {

struct NdArray {
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> data;  // row by row
  std::string dtype = "int32";

  static std::int64_t count(const std::vector<std::int64_t>& shape) {
    return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  }
  static NdArray zeros(std::vector<std::int64_t> shape) {
    auto n = static_cast<std::size_t>(count(shape));
    return {std::move(shape), std::vector<std::int64_t>(n)};
  }
  bool operator==(const NdArray&) const = default;
};

// Where the elements of a result come from: start + sum of index * stride.
class ArrayView {
 public:
  explicit ArrayView(const NdArray& from) : from_(from) {
    std::int64_t stride = NdArray::count(from.shape);
    for (auto n : from.shape) {
      stride = n == 0 ? 0 : stride / n;
      rest_.emplace_back(n, stride);
    }
  }

  // False: no such item.
  bool apply(const Axes& axes) {
    std::size_t used = 0;
    for (auto& axis : axes) used += axis.is_none() || axis.is<Ellipsis>() ? 0 : 1;
    if (used > rest_.size()) return false;
    std::size_t free = rest_.size() - used;
    for (auto& axis : axes) {
      if (axis.is_none()) {
        dims_.emplace_back(1, 0);
      } else if (axis.is<Ellipsis>()) {
        for (; free > 0; --free) keep();
      } else if (!take(axis)) {
        return false;
      }
    }
    return true;
  }

  NdArray copy() {
    while (!rest_.empty()) keep();
    return read();
  }
  NdArray transposed() {
    while (!rest_.empty()) keep();
    std::reverse(dims_.begin(), dims_.end());
    return read();
  }

 private:
  using Dim = std::pair<std::int64_t, std::int64_t>;  // size, stride

  void keep() {
    dims_.push_back(rest_.front());
    rest_.erase(rest_.begin());
  }
  bool take(const konfig::Value& axis) {
    auto [n, stride] = rest_.front();
    rest_.erase(rest_.begin());
    if (auto* slice = axis.get_if<Slice>()) {
      auto [start, step, count] = range_of(*slice, static_cast<std::size_t>(n));
      start_ += start * stride;
      dims_.emplace_back(static_cast<std::int64_t>(count), step * stride);
      return true;
    }
    auto* index = axis.get_if<std::int64_t>();
    auto at = index ? position(*index, static_cast<std::size_t>(n)) : std::nullopt;
    if (at) start_ += static_cast<std::int64_t>(*at) * stride;
    return at.has_value();
  }
  NdArray read() const {
    NdArray out;
    out.dtype = from_.dtype;
    for (auto& dim : dims_) out.shape.push_back(dim.first);
    read_from(out, 0, start_);
    return out;
  }
  void read_from(NdArray& out, std::size_t axis, std::int64_t at) const {
    if (axis == dims_.size()) return out.data.push_back(from_.data[static_cast<std::size_t>(at)]);
    auto [n, stride] = dims_[axis];
    for (std::int64_t i = 0; i < n; ++i) read_from(out, axis + 1, at + i * stride);
  }

  const NdArray& from_;
  std::int64_t start_ = 0;
  std::vector<Dim> dims_, rest_;
};

template <>
struct TreeTraits<NdArray> {
  static constexpr std::string_view spoken = "ndarray";

  static TreeRef item(const NdArray& array, const Part& part) {
    if (part.text() || part.value().is<bool>() || part.value().is<double>()) return {};
    auto* axes = part.value().get_if<Axes>();
    ArrayView view(array);
    if (!view.apply(axes ? *axes : Axes{part.value()})) return {};
    return TreeRef::own(view.copy());
  }
  static TreeRef attribute(const NdArray& array, std::string_view name) {
    if (name == "T") return TreeRef::own(ArrayView(array).transposed());
    if (name == "shape") {
      return TreeRef::own(Axes(std::vector<konfig::Value>(array.shape.begin(), array.shape.end())));
    }
    return {};
  }
};

}  // namespace kontext
