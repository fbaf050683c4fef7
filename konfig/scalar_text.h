// Python's notation of single values.
#pragma once

#include <string>
#include <string_view>

#include "konfig/value.h"

namespace konfig {

std::string scalar_text(const Value& value);     // any value that is no list, tuple, map or config
std::string repr_text(std::string_view text);    // quoted, escaped
std::string repr_float(double);                  // the shortest form that reads back equal
std::size_t utf8_length(std::string_view text);  // code points
bool is_utf8(std::string_view text);

}  // namespace konfig
