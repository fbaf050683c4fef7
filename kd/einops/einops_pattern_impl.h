// The two sides of a pattern such as "b (h w) c -> b h w c". Library only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kd::einops::detail {

struct PatternAxis {
  std::string name;        // "h"; "..." until it is expanded; "#0" for a number
  std::int64_t size = -1;  // -1: not known yet
};

// One dimension of the tensor: the product of its axes; none: size 1.
struct PatternGroup {
  std::vector<PatternAxis> axes = {};
  bool is_ellipsis = false;  // a bare "...", which stands for several dimensions
};

using PatternSide = std::vector<PatternGroup>;

struct Pattern {
  PatternSide left, right;

  // An Error says what is wrong with the text.
  static Pattern parse(std::string_view text);
  // Replaces `...` by as many axes as a tensor of this many dimensions has for it.
  void expand(std::int64_t dims);
};

// All axes in order.
std::vector<PatternAxis> axes_of(const PatternSide& side);

}  // namespace kd::einops::detail
