// The text of a config in JSON, as plain data. Somebody may have written it: unlike in other JSON, a
// key that is given twice is an Error, with its place. parse_yaml is as strict.
#pragma once

#include <string_view>

#include "konfig/value.h"

namespace konfig {

Value parse_config_json(std::string_view text);

}  // namespace konfig
