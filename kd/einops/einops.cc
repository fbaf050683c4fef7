// Patterns applied to tensors: cut into elementary axes, reduce, permute, join.
#include "kd/einops/einops.h"

#include <algorithm>

#include <ATen/ops/amax.h>
#include <ATen/ops/amin.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/prod.h>
#include <ATen/ops/sum.h>

#include "base/join.h"
#include "kd/core/tensor.h"
#include "kd/einops/einops_pattern_impl.h"
#include "konfig/error.h"
#include "konfig/suggest.h"

namespace kd::einops {

using detail::axes_of;
using detail::Pattern;
using detail::PatternAxis;
using detail::PatternGroup;
using detail::PatternSide;
using konfig::Error;
using konfig::ErrorKind;

namespace {

using Axes = std::vector<PatternAxis>;

const PatternAxis* find(const Axes& axes, std::string_view name) {
  auto it = std::find_if(axes.begin(), axes.end(), [&](auto& axis) { return axis.name == name; });
  return it == axes.end() ? nullptr : &*it;
}

std::vector<std::string> only_in(const Axes& a, const Axes& b) {
  std::vector<std::string> out;
  for (auto& axis : a) {
    if (!find(b, axis.name)) out.push_back(axis.name);
  }
  return out;
}

// As the user wrote it.
std::string spoken(const PatternAxis& axis) {
  if (axis.name.starts_with("#")) return std::to_string(axis.size);
  return axis.name.starts_with("...") ? "..." : axis.name;
}

void set_given(PatternSide& side, const AxisSizes& sizes) {
  for (PatternGroup& group : side) {
    for (PatternAxis& axis : group.axes) {
      if (const int* size = sizes.find(axis.name)) axis.size = *size;
    }
  }
}

void check_given(const Pattern& pattern, const AxisSizes& sizes) {
  std::vector<std::string> known;
  for (auto* side : {&pattern.left, &pattern.right}) {
    for (auto& axis : axes_of(*side)) known.push_back(axis.name);
  }
  for (auto& [name, size] : sizes) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw Error(ErrorKind::value, "a size is given for '" + name + "', which the pattern lacks" +
                                        konfig::did_you_mean(name, known));
    }
    if (size < 1) {
      throw Error(ErrorKind::value, "the size of '" + name + "' is " + std::to_string(size));
    }
  }
}

// Finds the one unknown size of a dimension, and checks that the known ones fit.
void infer(PatternGroup& group, std::int64_t dim) {
  std::int64_t known = 1;
  PatternAxis* unknown = nullptr;
  for (PatternAxis& axis : group.axes) {
    if (axis.size >= 0) {
      known *= axis.size;
    } else if (unknown) {
      throw Error(ErrorKind::value, "the sizes of '" + unknown->name + "' and '" + axis.name +
                                        "' do not follow from the tensor: give one of them");
    } else {
      unknown = &axis;
    }
  }
  if (unknown ? dim % known != 0 : dim != known) {
    const std::string names = base::join(group.axes, " ", spoken);
    throw Error(ErrorKind::value, "a dimension of size " + std::to_string(dim) +
                                      " does not fit '(" + names + ")', whose known part is " +
                                      std::to_string(known));
  }
  if (unknown) unknown->size = dim / known;
}

std::vector<std::int64_t> sizes_of(const Axes& axes) {
  std::vector<std::int64_t> out;
  for (auto& axis : axes) out.push_back(axis.size);
  return out;
}

Tensor reduce_dims(Tensor x, std::string_view reduction, std::vector<std::int64_t> dims) {
  if (reduction == "mean") return dims.empty() ? x : at::mean(x, dims);
  if (reduction == "sum") return dims.empty() ? x : at::sum(x, dims);
  if (reduction == "max") return dims.empty() ? x : at::amax(x, dims);
  if (reduction == "min") return dims.empty() ? x : at::amin(x, dims);
  if (reduction != "prod") {
    throw Error(ErrorKind::value, "unknown reduction '" + std::string(reduction) +
                                      "'; there are mean, sum, max, min and prod");
  }
  for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim) x = at::prod(x, *dim);
  return x;
}

// The tensor, whose dimensions are `from`, with the dimensions `to`, some of which may be new.
Tensor reorder(const Tensor& x, const Axes& from, const Axes& to) {
  std::vector<std::int64_t> order, sizes;
  for (auto& axis : to) {
    if (auto* found = find(from, axis.name)) order.push_back(found - from.data());
  }
  Tensor y = x.permute(order);
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (!find(from, to[i].name)) y = y.unsqueeze(static_cast<std::int64_t>(i));
    sizes.push_back(to[i].size);
  }
  return y.expand(sizes);
}

enum class Kind { rearrange, reduce, repeat };

void check_names(const Axes& left, const Axes& right, Kind kind) {
  auto lost = only_in(left, right), made = only_in(right, left);
  auto fail = [](const std::string& name, const char* where) {
    throw Error(ErrorKind::value,
                "'" + (name.starts_with("...") ? "..." : name) + "' is only on the " + where);
  };
  if (kind != Kind::reduce && !lost.empty()) fail(lost[0], "left side");
  if (kind != Kind::repeat && !made.empty()) fail(made[0], "right side");
}

Tensor transform(const Tensor& x, std::string_view text, const AxisSizes& sizes, Kind kind,
                 std::string_view reduction = {}) {
  Pattern pattern = Pattern::parse(text);
  // Numbers are axes of their own: one on the left has nothing to do with one on the right.
  for (auto& group : pattern.right) {
    for (auto& axis : group.axes) {
      if (axis.name.starts_with("#")) axis.name += "'";
    }
  }
  check_given(pattern, sizes);
  pattern.expand(x.dim());
  set_given(pattern.left, sizes);
  set_given(pattern.right, sizes);
  for (std::size_t i = 0; i < pattern.left.size(); ++i) {
    infer(pattern.left[i], x.size(static_cast<std::int64_t>(i)));
  }
  Axes left = axes_of(pattern.left), right = axes_of(pattern.right);
  check_names(left, right, kind);

  std::vector<std::int64_t> reduced;
  Axes kept;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (find(right, left[i].name)) {
      kept.push_back(left[i]);
    } else {
      reduced.push_back(static_cast<std::int64_t>(i));
    }
  }
  Tensor y = x.reshape(sizes_of(left));
  if (kind == Kind::reduce) y = reduce_dims(y, reduction, reduced);

  std::vector<std::int64_t> shape;
  for (PatternGroup& group : pattern.right) {
    std::int64_t size = 1;
    for (PatternAxis& axis : group.axes) {
      if (auto* known = find(kept, axis.name)) axis.size = known->size;
      if (axis.size < 0)
        throw Error(ErrorKind::value, "the size of '" + axis.name + "' is missing");
      size *= axis.size;
    }
    shape.push_back(size);
  }
  return reorder(y, kept, axes_of(pattern.right)).reshape(shape);
}

Tensor with_pattern(const Tensor& x, std::string_view text, const AxisSizes& sizes, Kind kind,
                    std::string_view reduction = {}) {
  try {
    return transform(x, text, sizes, kind, reduction);
  } catch (const Error& e) {
    throw Error(e.kind(), "pattern '" + std::string(text) + "': " + e.message());
  }
}

}  // namespace

Tensor rearrange(const Tensor& x, std::string_view pattern, const AxisSizes& sizes) {
  return with_pattern(x, pattern, sizes, Kind::rearrange);
}

Tensor reduce(const Tensor& x, std::string_view pattern, std::string_view reduction,
              const AxisSizes& sizes) {
  return with_pattern(x, pattern, sizes, Kind::reduce, reduction);
}

Tensor repeat(const Tensor& x, std::string_view pattern, const AxisSizes& sizes) {
  return with_pattern(x, pattern, sizes, Kind::repeat);
}

}  // namespace kd::einops
