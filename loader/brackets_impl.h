// Brackets in the tokens of C++ text, for what reads config files.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/cpp_tokens.h"

namespace loader {

using Tokens = std::vector<base::Token>;

// Without comments and directives.
Tokens code_tokens(std::string_view source);

inline bool opens(const base::Token& t) { return t.is("(") || t.is("{") || t.is("["); }
inline bool closes(const base::Token& t) { return t.is(")") || t.is("}") || t.is("]"); }

// The place behind the partner of the bracket at `at`.
std::size_t behind(const Tokens& tokens, std::size_t at);
// The same for `<`. It ends at a `;`, since the bracket may be a comparison.
std::size_t behind_angles(const Tokens& tokens, std::size_t at);

}  // namespace loader
