// Files that outlive a crash, with errors for the user of a run.
#include "kd/core/durable.h"

#include <cerrno>
#include <cstring>

namespace kd {

namespace fs = std::filesystem;

bool FileError::disk_is_full() const { return error_ == ENOSPC || error_ == EDQUOT; }

void fail_with_errno(const fs::path& file, const std::string& what, int error) {
  const bool full = error == ENOSPC || error == EDQUOT;
  throw FileError(
      file.string() + ": " + what + ": " +
          (full ? "the disk is full; free some space, or choose another folder (" : std::string()) +
          std::strerror(error) + (full ? ")" : ""),
      error);
}

void write_synced(const fs::path& file, std::string_view text) {
  with_file_errors([&] { base::write_synced(file, text); });
}

void replace_file(const fs::path& file, std::string_view text) {
  with_file_errors([&] { base::replace_file(file, text); });
}

std::string read_file(const fs::path& file) {
  return with_file_errors([&] { return base::read_file(file); });
}

void sync_folder(const fs::path& folder) {
  with_file_errors([&] { base::sync(folder); });
}

void rename_synced(const fs::path& from, const fs::path& to) {
  with_file_errors([&] { base::rename_synced(from, to); });
}

}  // namespace kd
