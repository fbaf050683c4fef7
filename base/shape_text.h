// Shapes of tensors as texts; any range of sizes is a shape.
//
//   base::shape_text(tensor.sizes())            // "(2, 3)"
//   base::shape_text(std::vector{3})            // "(3)"
//   base::tuple_text(std::vector{3})            // "(3,)", as Python prints it
#pragma once

#include <functional>
#include <iterator>
#include <string>

#include "base/join.h"

namespace base {

template <class Range>
std::string shape_text(const Range& sizes) {
  return "(" + join(sizes, ", ") + ")";
}

// As Python prints a tuple: a single item is followed by a comma. `text` is as for join.
template <class Range, class Text = std::identity>
std::string tuple_text(const Range& items, const Text& text = {}) {
  const bool single = std::distance(std::begin(items), std::end(items)) == 1;
  return "(" + join(items, ", ", text) + (single ? ",)" : ")");
}

}  // namespace base
