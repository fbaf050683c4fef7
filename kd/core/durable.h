// Files that outlive a crash, with errors for the user of a run: what base/durable.h does, where a
// full disk is explained.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/durable.h"
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

// A FileError: "runs/a/x.json: cannot be written: ...".
[[noreturn]] void fail_with_errno(const std::filesystem::path& file, const std::string& what,
                                  int error);

// What `work` returns; a base::FileError of it becomes a FileError.
template <class Work>
decltype(auto) with_file_errors(Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const base::FileError& error) {
    fail_with_errno(error.path(), error.problem(), error.code().value());
  }
}

// A new file, synced to disk. An Error names the file and what is wrong: "the disk is full".
void write_synced(const std::filesystem::path& file, std::string_view text);
// Replaces a file: written aside, synced, renamed. A reader sees the old one or the whole new one.
void replace_file(const std::filesystem::path& file, std::string_view text);
// The whole content; an Error says why it cannot be read.
std::string read_file(const std::filesystem::path& file);

// Makes what was renamed, made or removed in a folder outlive a crash.
void sync_folder(const std::filesystem::path& folder);
// Renames, replacing what is there, and syncs the folder.
void rename_synced(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace kd
