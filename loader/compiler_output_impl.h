// What a compiler says, cut down to what helps: its first error.
#pragma once

#include <string>
#include <string_view>

namespace loader {

// The first error with its source line; where it is in a header, also the line of the file that led
// there; and how many more there are. A static assertion in a header is an error of that line, and
// names the field of a config that it is about. "" when the text holds no error.
std::string first_error(std::string_view output);

}  // namespace loader
