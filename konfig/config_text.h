// The text of a config in JSON, as plain data. A key that is given twice is an Error with its
// place, as in parse_yaml: people write configs, and make such mistakes.
#pragma once

#include <string_view>

#include "konfig/value.h"

namespace konfig {

Value parse_config_json(std::string_view text);

}  // namespace konfig
