// Files that a user names, and the names of temporary folders.
#pragma once

#include <filesystem>
#include <string_view>

namespace loader {

// The file as an Error names it when it is not there or is a folder: also the nearest name in its
// folder that does exist.
void require_file(const std::filesystem::path& file);

// The names of temporary folders start with this.
inline constexpr std::string_view kTempPrefix = "kauldron-tmp.";

}  // namespace loader
