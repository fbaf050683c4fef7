// What tests of files share.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"

namespace base {

// The names in a folder, sorted.
inline std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> out;
  for (auto& entry : std::filesystem::directory_iterator(folder)) {
    out.push_back(entry.path().filename().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

// What the FileError that `work` throws says; "" when there is none.
template <class F>
std::string error_of(F&& work) {
  try {
    work();
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

}  // namespace base
