// A quoted text that has no end. yaml-cpp takes the end of a file for the end of such a text.
#pragma once

#include <string>

namespace konfig {

// Whether the last text of a YAML file, which yaml-cpp has read without an error, was cut off.
bool ends_within_quotes(const std::string& yaml);

}  // namespace konfig
