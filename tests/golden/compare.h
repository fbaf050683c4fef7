// Comparison of golden outputs: values exactly, errors by kind, place and name.
#pragma once

#include <string>

#include "konfig/error.h"
#include "konfig/value.h"

namespace golden {

// Same kind of value, same content, same order of keys; 1, 1.0 and true all differ.
bool identical(const konfig::Value& a, const konfig::Value& b);

// The value as JSON text on one line, or its repr where it has none.
std::string show(const konfig::Value& value);

// "" when our error is the one that the reference's `{error, message}` describes: the kind matches,
// and the path and the field that the reference names occur in our text.
std::string error_mismatch(const konfig::Dict& expected, const konfig::Error& ours);

// The exception that the reference throws for a kind of error: "KeyError"; our word where it has
// none.
std::string python_name(konfig::ErrorKind kind);

}  // namespace golden
