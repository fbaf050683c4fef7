// Values as Python prints them, on one line.
#pragma once

#include <string>

#include "konfig/value.h"

namespace kxm::detail {

std::string python_repr(const konfig::Value& value);
std::string python_str(const konfig::Value& value);  // the same, but text as it is

}  // namespace kxm::detail
