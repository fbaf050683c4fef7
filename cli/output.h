// A config, or a part of it, in one of the notations.
#pragma once

#include <string>

#include "konfig/value.h"

namespace cli {

enum class Notation { py, json, yaml };

// Ends with a newline.
std::string formatted(const konfig::Value& value, Notation notation);

// The part at `path`; all of it for "".
konfig::Value part_of(const konfig::Value& value, const std::string& path);

}  // namespace cli
