// The kinds of elements that a type such as Float accepts.
#pragma once

#include <c10/core/ScalarType.h>

#include <string_view>

#include "kd/typing/typing_fwd.h"

namespace kd::typing {

bool accepts(Elements elements, c10::ScalarType type);
// As types are called in messages: "Float", "float32".
std::string_view name_of(Elements elements);
std::string_view name_of(c10::ScalarType type);

}  // namespace kd::typing
