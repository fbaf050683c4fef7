// A nested dictionary as YAML, byte for byte as PyYAML writes it: block style, keys in order, lines
// of 80 columns, what is not ASCII escaped.
#pragma once

#include <string>

#include "konfig/value.h"

namespace tfimm::train::detail {

std::string to_yaml(const konfig::Value& value);

}  // namespace tfimm::train::detail
