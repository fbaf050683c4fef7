// Python's textwrap.shorten, which names of folders follow.
#pragma once

#include <string>
#include <string_view>

namespace kxm::detail {

// Blanks are collapsed. A text of more than `width` code points keeps its first words, split at
// blanks and hyphens, and ends in "...".
std::string shorten_words(std::string_view text, std::size_t width);

}  // namespace kxm::detail
