// Names in paths. Library only.
#pragma once

#include <cstddef>
#include <string_view>

namespace kontext {

// The length in bytes of the name at the start of `text`: a letter or `_`, then letters, digits and
// `_`, of any script; 0 when there is none.
std::size_t name_length(std::string_view text);

// The whole text is a name, and one that Python calls an identifier too: printed without quotes.
bool is_plain_name(std::string_view text);

}  // namespace kontext
