// Maps that `resolve` made immutable, as maps that can be changed.
//
//   Value fields = unfreeze(resolve(cfg));     // a copy; the resolved value stays as it is
#pragma once

#include "konfig/value.h"

namespace konfig {

// Also of the maps inside of it, at any depth.
Value unfreeze(const Value& value);

}  // namespace konfig
