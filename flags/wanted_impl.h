// What a field wants, as far as flags care. Library only.
#pragma once

#include <string>

#include "konfig/type.h"
#include "konfig/value.h"

namespace flags::detail {

// `other`: a node or a sequence, which neither true nor a bare flag can be.
enum class Wanted { unknown, boolean, whole, real, text, other };

Wanted wanted_by(const konfig::Value& current);
Wanted wanted_by(const konfig::Type& type);

// The value of a flag in favour of the field; `text` is the flag's text as typed.
konfig::Value adapt(Wanted wanted, const konfig::Value& value, const std::string& text);

// Whether a field declared like this takes the value, as far as can be told before it is resolved.
bool accepts(const konfig::Type& type, const konfig::Value& value);

}  // namespace flags::detail
