// Resolved values as keys of unordered maps and sets.
//
//   std::unordered_set<Value, HashFrozen> seen = {resolve(cfg)};
#pragma once

#include <cstddef>

#include "konfig/value.h"

namespace konfig {

// Equal for equal values, as in Python: of 1, 1.0 and true, and of maps in any order. An Error of
// kind `type` for what can change: lists, configs, sets and maps that are not frozen.
struct HashFrozen {
  std::size_t operator()(const Value& value) const;
};

}  // namespace konfig
