// Equality of typed values: what decides whether a field differs from its default.
#pragma once

#include "konfig/type.h"

namespace konfig::detail {

// Bit for bit for numbers (-0.0 differs from 0.0, NaN equals itself). Nodes with bindings or kept
// fields equal nothing but themselves.
bool equal(const Type& type, const void* a, const void* b);

}  // namespace konfig::detail
