// Lists and tuples alike.
//
//   if (const Sequence* items = as_sequence(value)) {
//     for (const Value& item : *items) print(item);
//   }
#pragma once

#include "konfig/value.h"

namespace konfig {

// None when the value is neither a list nor a tuple.
inline const Sequence* as_sequence(const Value& value) {
  if (auto* list = value.get_if<List>()) return list;
  return value.get_if<Tuple>();
}

}  // namespace konfig
