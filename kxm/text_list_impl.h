// Lists that a flag may write with commas.
#pragma once

#include <string>
#include <vector>

#include "konfig/value.h"

namespace kxm::detail {

// "a,b" to {"a", "b"}; blanks stay.
std::vector<std::string> split_commas(const std::string& text);
// The same, or a list; `field` is for errors: "tags".
std::vector<std::string> text_list(const konfig::Value& value, const char* field);

}  // namespace kxm::detail
