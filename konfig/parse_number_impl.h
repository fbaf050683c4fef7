// Numbers as JSON, YAML and Python write them. Library only.
#pragma once

#include <optional>
#include <string_view>

#include "konfig/value.h"

namespace konfig::detail {

// "-12", "1.5", "1e3": whole numbers of any size stay exact. Empty when it is no such number.
std::optional<Value> parse_decimal(std::string_view text);
// Digits of base 2, 8, 10 or 16 without prefix or sign.
std::optional<Value> parse_whole(std::string_view digits, int base, bool negative);

}  // namespace konfig::detail
