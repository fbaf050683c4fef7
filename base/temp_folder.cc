// Temporary folders.
#include "base/temp_folder.h"

#include <stdlib.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace base {

namespace fs = std::filesystem;

TempFolder::TempFolder(std::string_view prefix, const fs::path& parent) {
  std::string name = (parent / (std::string(prefix) + "XXXXXX")).string();
  if (!::mkdtemp(name.data())) {
    throw fs::filesystem_error("cannot make a folder", parent,
                               std::error_code(errno, std::generic_category()));
  }
  path_ = name;
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace base
