// Reading paths. Library only.
#pragma once

#include <string_view>
#include <vector>

#include "kontext/path.h"

namespace kontext {

std::vector<Part> parse_parts(std::string_view text);
void reject_wildcard(const Part& part);  // an Error if it is one

}  // namespace kontext
