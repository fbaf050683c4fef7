// The order of keys. Library only.
#pragma once

#include <optional>

#include "konfig/value.h"

namespace kontext {

// Below, above or at 0, as Python sorts; nothing for values without an order, such as 1 and "a".
std::optional<int> compare(const konfig::Value& a, const konfig::Value& b);

}  // namespace kontext
