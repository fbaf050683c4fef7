// A path past all links, so that one place has one name.
//
//   fs::create_directory_symlink("data", "link");
//   real_path("link/run") == real_path("data/run");
//
// Parts at its end may be missing. Where the file system does not answer, links stay.
#pragma once

#include <filesystem>

namespace base {

std::filesystem::path real_path(const std::filesystem::path& path);

}  // namespace base
