// Files: reading, writing so that they survive a crash, and folders that disappear.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loader {

// Empty when it cannot be read.
std::optional<std::string> read_file(const std::filesystem::path& file);

// Whether the text, or what is at the path, reached the disk.
bool write_synced(const std::filesystem::path& file, std::string_view text);
bool sync(const std::filesystem::path& file_or_folder);

// The file as an Error names it when it is not there or is a folder: also the nearest name in its
// folder that does exist.
void require_file(const std::filesystem::path& file);

// A new folder that only this user can read, removed with all it holds at the end.
class TempDir {
 public:
  // In `parent`; throws std::filesystem::filesystem_error when that is not possible.
  explicit TempDir(const std::filesystem::path& parent);
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// The names of temporary folders start with this.
inline constexpr std::string_view kTempPrefix = "kauldron-tmp.";

}  // namespace loader
