// SHA-256 of bytes, for cases that hold only that.
#pragma once

#include <string>
#include <string_view>

namespace golden {

// In hexadecimal digits.
std::string sha256(std::string_view data);

}  // namespace golden
