// A temporary folder that goes with its object.
//
//   const base::TempFolder folder;                       // /tmp/kauldron-tmp.Xq3a9Z
//   base::write_synced(folder / "a.txt", "text");
#pragma once

#include <filesystem>
#include <string_view>

namespace base {

// A new folder that only this user can read, removed with all it holds at the end.
class TempFolder {
 public:
  // Its name is `prefix` and six random characters. Throws std::filesystem::filesystem_error when
  // it cannot be made.
  explicit TempFolder(std::string_view prefix = "kauldron-tmp.",
                      const std::filesystem::path& parent = std::filesystem::temp_directory_path());
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace base
