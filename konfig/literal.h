// Texts that stand for values: Python literals, `py::` expressions and flag values.
#pragma once

#include <string_view>

#include "konfig/value.h"

namespace konfig {

// A Python literal: numbers, text, bytes, True, False, None, ..., lists, tuples, sets, dicts.
Value parse_literal(std::string_view text);

// What may follow `py::` in a flag: literals, names (constant nodes) and calls (call nodes):
// "kd.data.Resize(size=(28, 28))".
Value parse_py(std::string_view text);

// A flag's text as a value without knowing its target: JSON, else a Python literal, else the text
// itself. `py::...` stays text here; see parse_py.
Value parse_flag_value(std::string_view text);

}  // namespace konfig
