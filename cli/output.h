// A config, or a part of it, in one of the formats.
#pragma once

#include <string>
#include <string_view>

#include "konfig/value.h"

namespace cli {

// "py", "json" or "yaml"; ends with a newline.
std::string formatted(const konfig::Value& value, std::string_view format);

// The part at `path`; all of it for "".
konfig::Value part_of(const konfig::Value& value, const std::string& path);

}  // namespace cli
