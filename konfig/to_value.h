// Typed values as resolved values, and objects back to configs.
#pragma once

#include "konfig/type.h"
#include "konfig/value.h"

namespace konfig {

// A value in its resolved form: structs and components are Objects, maps are Dicts. What `load`
// accepts, and what functions registered by name give back.
Value to_value(const Type& type, const void* value);

// A struct as a call node of all its fields, `__qualname__` last, such that resolving it gives an
// equal struct. Plain data: no registered defaults are merged.
Value export_object(const Object& object);

}  // namespace konfig
