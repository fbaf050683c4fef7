// Shapes and axes.
#include <algorithm>

#include "base/shape_text.h"
#include "kd/nn/shapes_impl.h"
#include "konfig/error.h"

namespace kd::nn::detail {

void fail(const std::string& message) { throw konfig::Error(konfig::ErrorKind::value, message); }

std::int64_t product(at::IntArrayRef sizes) {
  std::int64_t out = 1;
  for (std::int64_t size : sizes) out *= size;
  return out;
}

std::int64_t normalized(std::int64_t axis, std::int64_t rank, const char* field) {
  if (axis < -rank || axis >= rank) {
    fail(std::string(field) + " " + std::to_string(axis) + " is out of range: the input has " +
         std::to_string(rank) + " dimension(s)");
  }
  return axis < 0 ? axis + rank : axis;
}

Dims normalized(const Ints& axes, std::int64_t rank, const char* field) {
  Dims out;
  for (std::int64_t axis : axes.list()) out.push_back(normalized(axis, rank, field));
  std::sort(out.begin(), out.end());
  if (std::adjacent_find(out.begin(), out.end()) != out.end()) {
    fail(std::string(field) + " " + base::tuple_text(axes.list()) + " names a dimension twice");
  }
  return out;
}

}  // namespace kd::nn::detail
