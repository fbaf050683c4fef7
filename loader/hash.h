// Hashes that tell contents apart: 128 bits of XXH3, as 32 hexadecimal digits.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"

namespace loader {

std::string hash(std::string_view text);
std::string hash(const base::File& file);  // in blocks: programs may be large
std::optional<std::string> hash_file(const std::filesystem::path& file);  // empty: unreadable

}  // namespace loader
