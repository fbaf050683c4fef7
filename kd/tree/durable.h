// Files that outlive a crash: what was written is on disk before anything is renamed to its place.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "konfig/error.h"

namespace kd {

// A file that cannot be read or written, and why: an errno.
class FileError : public konfig::Error {
 public:
  FileError(const std::string& message, int error)
      : Error(konfig::ErrorKind::value, message), error_(error) {}
  int error() const { return error_; }
  bool disk_is_full() const;

 private:
  int error_;
};

// A new file, synced to disk. An Error names the file and what is wrong: "the disk is full".
void write_synced(const std::filesystem::path& file, std::string_view text);
// Replaces a file: written aside, synced, renamed. A reader sees the old one or the whole new one.
void replace_file(const std::filesystem::path& file, std::string_view text);
// What files written aside are called at first. A killed process leaves them behind.
inline constexpr std::string_view kAside = ".writing-";
// The whole content; an Error says why it cannot be read.
std::string read_file(const std::filesystem::path& file);

// Makes what was renamed, made or removed in a folder outlive a crash.
void sync_folder(const std::filesystem::path& folder);
// Renames, replacing what is there, and syncs the folder.
void rename_synced(const std::filesystem::path& from, const std::filesystem::path& to);

// A FileError: "runs/a/x.json: cannot be written: ...".
[[noreturn]] void fail_with_errno(const std::filesystem::path& file, const std::string& what,
                                  int error);

}  // namespace kd
