// Values of arguments as text, and back.
#pragma once

#include <string>
#include <string_view>

#include "konfig/value.h"

namespace kxm {

// Text as it is, everything else as JSON: true, null, [1, 2], {"__qualname__": ...}.
std::string arg_to_text(const konfig::Value& value);
// JSON where it is that, else the text: "12" comes back as 12.
konfig::Value arg_from_text(std::string_view text);

// Like arg_to_text, for a flag of a config: a text that would be read as something else is quoted.
std::string config_arg_to_text(const konfig::Value& value);

}  // namespace kxm
