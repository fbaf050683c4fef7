// Files that are there as a whole or not at all.
#pragma once

#include <filesystem>
#include <string_view>

namespace cli {

// base::replace_file, not interrupted by signals; what it cannot write is a Failure.
void write_file(const std::filesystem::path& file, std::string_view text);

}  // namespace cli
