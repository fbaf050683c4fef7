// What the sources of Python's operators share. Library only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "konfig/arithmetic.h"

namespace konfig::detail {

// A whole number or a truth value.
std::optional<std::int64_t> whole(const Value& v);
// The same, or a float.
std::optional<double> real(const Value& v);
// The same, or a big number: for comparisons only, it is not computed with.
std::optional<double> magnitude(const Value& v);

// -1, 0 or 1; empty: a NaN is involved. An Error where no order is defined.
std::optional<int> compare(Op op, const Value& a, const Value& b);

// "%d of %s" % (3, "x")
std::string format_percent(std::string_view pattern, const Value& arg);

[[noreturn]] void unsupported(Op op, const Value& a, const Value& b);

}  // namespace konfig::detail
