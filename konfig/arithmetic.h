// Python's operators on Values. References use them; they are free of references themselves.
#pragma once

#include <span>
#include <string_view>

#include "konfig/reference.h"

namespace konfig::detail {

Value apply(Op op, const Value& a, const Value& b);
Value negate(const Value& a);
Value absolute(const Value& a);
Value to_int(const Value& a);
Value to_float(const Value& a);
Value to_str(const Value& a);
bool equal(const Value& a, const Value& b);
// "text".upper(), [1, 2].index(2) and the like.
Value call_method(const Value& self, std::string_view name, std::span<const Value> args);
// a[key] for text, sequences, maps and configs.
Value get_item(const Value& a, const Value& key);

}  // namespace konfig::detail
