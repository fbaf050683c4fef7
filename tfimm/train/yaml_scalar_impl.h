// What a plain YAML scalar means, by the rules of PyYAML (YAML 1.1): both for reading what no class
// declares and for knowing which texts need quotes.
#pragma once

#include <string_view>

#include "konfig/value.h"

namespace tfimm::train::detail {

enum class Plain { text, null, boolean, integer, floating, merge, timestamp, value };

Plain plain_kind(std::string_view scalar);
// Timestamps stay text.
konfig::Value plain_value(std::string_view scalar);

}  // namespace tfimm::train::detail
