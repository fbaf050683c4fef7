// Python's exceptions as kinds of our errors. Library only.
#pragma once

#include <string_view>

#include "konfig/error.h"

namespace loader {

// `value` for those that have no kind of their own.
konfig::ErrorKind kind_of_exception(std::string_view name);

}  // namespace loader
