// Paths and separators on the command line. Library only.
#pragma once

#include <string>
#include <string_view>

#include "konfig/config_dict.h"
#include "kontext/path.h"

namespace flags::detail {

// A path of a flag: names, indices and quoted keys; no slices and no wildcards.
kontext::Path parse_flag_path(const std::string& path, std::string_view flag_name);

// The same place as the config spells it: lst['0'] is lst[0] in a list, and aux.0 is aux['0'] where
// that is the key.
kontext::Path spelled_as_in(const konfig::ConfigDict& cfg, const kontext::Path& path);

// The first '=' outside brackets and quotes; npos when there is none.
std::size_t find_equals(std::string_view text);
// The first ',' outside brackets and quotes.
std::size_t find_comma(std::string_view text);

}  // namespace flags::detail
