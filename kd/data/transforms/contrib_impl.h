// What the transforms of contrib share. Library only.
#pragma once

#include <ATen/ops/tensor.h>

#include <string>
#include <vector>

#include "kd/core/tensor.h"
#include "kd/core/tree.h"
#include "kd/data/formats.h"
#include "kd/io/errors.h"
#include "konfig/suggest.h"

namespace kd::data::detail {

// Numbers for the last dimension of an element: one for each entry, or one for all.
inline Tensor by_channel(const std::vector<double>& values, const Tensor& element,
                         const char* field) {
  const bool fits =
      values.size() == 1 ||
      (element.dim() > 0 && element.size(-1) == static_cast<std::int64_t>(values.size()));
  if (!fits) {
    throw Error(ErrorKind::value,
                std::string(field) + ": " + std::to_string(values.size()) +
                    " numbers for a last dimension of " +
                    (element.dim() > 0 ? std::to_string(element.size(-1)) : "none"));
  }
  return at::tensor(values, element.scalar_type());
}

inline std::int64_t checked_axis(int axis, std::int64_t dims) {
  if (axis < -dims || axis >= dims) {
    throw Error(ErrorKind::index,
                "axis: " + std::to_string(axis) + " is no dimension of " + std::to_string(dims));
  }
  return axis < 0 ? axis + dims : axis;
}

// "the element has the dimensions (n, h, w, c), not 2"
inline void check_dims(const Tensor& element, std::int64_t least, const char* shape) {
  if (element.dim() < least) {
    throw Error(ErrorKind::value, std::string("an element has the dimensions ") + shape +
                                      ", this one has " + std::to_string(element.dim()));
  }
}

inline std::int64_t frames_of(const Tensor& video) {
  check_dims(video, 1, "(t, ...)");
  return video.size(0);
}

inline void check_positive(int value, const char* field) {
  if (value < 1) {
    throw Error(ErrorKind::value,
                std::string(field) + ": " + std::to_string(value) + " is not positive");
  }
}

// The element that a field of the transform names.
inline const Tree& element_of(const Tree& record, const std::string& name, const char* field) {
  if (const Tree* found = record.find(name)) return *found;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < record.size(); ++i) names.emplace_back(record.name(i));
  throw Error(ErrorKind::key, std::string(field) + ": there is no element '" + name + "'" +
                                  konfig::did_you_mean(name, names));
}

// Entries along a dimension, by their numbers.
Tensor take(const Tensor& from, std::int64_t axis, const std::vector<std::int64_t>& indices);

}  // namespace kd::data::detail
