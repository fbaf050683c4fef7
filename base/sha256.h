// SHA-256: a short name for long bytes.
//
//   base::sha256("abc").substr(0, 8)        // "ba7816bf"
#pragma once

#include <string>
#include <string_view>

namespace base {

// In hexadecimal digits.
std::string sha256(std::string_view data);

}  // namespace base
