// The lines of a text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace base {

// Without their ends. A text that ends in a newline has no empty line behind it.
std::vector<std::string> lines_of(std::string_view text);

}  // namespace base
