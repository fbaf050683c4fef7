// What a compiler says, cut down to what helps: its first error.
#pragma once

#include <string>
#include <string_view>

namespace loader {

// The first error with its source line, and how many more there are. One in a header is given the
// line of `file` that led there; a static assertion names the field of a config that it is about.
// "" when the text holds no error.
std::string first_error(std::string_view output, std::string_view file);

}  // namespace loader
