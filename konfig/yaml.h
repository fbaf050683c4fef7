// Configs as YAML with the content of the JSON form; shared nodes are YAML anchors.
#pragma once

#include <string>
#include <string_view>

#include "konfig/value.h"

namespace konfig {

std::string to_yaml(const Value& value);

Value parse_yaml(std::string_view text);
ConfigDict config_from_yaml(std::string_view text);

}  // namespace konfig
