#include "loader/files_impl.h"

#include <string>
#include <system_error>
#include <vector>

#include "konfig/error.h"
#include "konfig/suggest.h"

namespace loader {

namespace fs = std::filesystem;

void require_file(const fs::path& file) {
  std::error_code error;
  if (fs::is_directory(file, error)) {
    throw konfig::Error(konfig::ErrorKind::value, file.string() + ": is a folder, not a file");
  }
  if (fs::exists(file, error)) return;
  auto folder = file.parent_path();
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, error)) {
    if (!entry.is_directory(error)) names.push_back(entry.path().filename().string());
  }
  std::string hint;
  if (auto name = konfig::nearest(file.filename().string(), names, 0.6)) {
    hint = "; did you mean '" + (folder / *name).string() + "'?";
  } else if (!folder.empty() && !fs::is_directory(folder, error)) {
    hint = "; there is no folder '" + folder.string() + "'";
  }
  throw konfig::Error(konfig::ErrorKind::value, file.string() + ": no such file" + hint);
}

}  // namespace loader
