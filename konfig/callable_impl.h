// Functions that are named before the library with them is loaded. Library only.
#pragma once

#include <string_view>

namespace konfig::detail {

// Whether there is any function with this signature.
bool has_callables(std::string_view signature);

}  // namespace konfig::detail
