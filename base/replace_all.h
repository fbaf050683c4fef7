// One text with every occurrence of a part replaced.
#pragma once

#include <string>
#include <string_view>

namespace base {

// From the left; what was put in is not looked at again. An empty `part` changes nothing.
std::string replace_all(std::string text, std::string_view part, std::string_view by);

}  // namespace base
