// Files that are there as a whole or not at all.
#pragma once

#include <filesystem>
#include <string_view>

namespace cli {

// Replaces the file: written aside, fsynced, renamed. On a Failure the old file stays as it was and
// nothing is left behind. What is no regular file (/dev/stdout, a pipe) is written to.
void write_file(const std::filesystem::path& file, std::string_view text);

}  // namespace cli
