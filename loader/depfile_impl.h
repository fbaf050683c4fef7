// The files a compilation read, from the rules for make that compilers write.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace loader {

// The prerequisites of "target: a b \<newline> c".
std::vector<std::string> parse_depfile(std::string_view text);

}  // namespace loader
