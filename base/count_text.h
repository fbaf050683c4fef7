// How many of something there are, as a text.
//
//   base::count_text(1, "step")         // "1 step"
//   base::count_text(3, "more unit")    // "3 more units"
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace base {

inline std::string count_text(std::int64_t n, std::string_view what) {
  return std::to_string(n) + " " + std::string(what) + (n == 1 ? "" : "s");
}

}  // namespace base
