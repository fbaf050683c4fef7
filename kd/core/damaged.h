// Damaged files and folders are kept beside their place, for a look or a repair.
#pragma once

#include <filesystem>

namespace kd {

// A name beside a path that nothing has yet: "ckpt_20.damaged", then "ckpt_20.damaged1", ...
std::filesystem::path name_for_damaged(const std::filesystem::path& path);
// Gives a file or folder this name, and returns it.
std::filesystem::path set_aside(const std::filesystem::path& path);

}  // namespace kd
