// Files that outlive a crash: what is written is on disk before it is renamed to its place, and the
// new name is on disk before the caller goes on. Whatever happens, a reader sees the old file or
// the whole new one. What fails throws a FileError.
//
//   base::replace_file("runs/a/config.json", text);
//
//   base::Replacement file("model.safetensors");      // the same in parts
//   file.write(header);
//   file.write(data);
//   file.commit();
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/file.h"

namespace base {

struct FileText {
  std::filesystem::path file;
  std::string text;
};

// What a replaced file has of the old one.
enum class Keep {
  nothing,               // a new file in the place of the old one, or of a link
  link_and_permissions,  // a link stays a link, and what it leads to is replaced
};

// The content of a file while it is written aside. Without commit() the file stays as it was, and
// nothing is left behind. Anything but a regular file (/dev/stdout, a pipe) is written to at once.
class Replacement {
 public:
  explicit Replacement(const std::filesystem::path& file, Keep keep = Keep::nothing);
  ~Replacement();
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;

  void write(std::string_view bytes) { out_->write(bytes); }
  void commit();  // synced, renamed, and the folder synced; the last call

 private:
  friend void replace_files(std::span<const FileText> files);
  void open_aside(Keep keep);
  void name_aside();
  void settle();  // on disk, with a name aside
  void place();   // renamed

  std::filesystem::path file_;
  std::filesystem::path aside_;  // empty: it has no name
  std::optional<mode_t> old_mode_;
  bool replaces_ = true;
  std::unique_ptr<File> out_;
};

// Names of files that are written aside start with this, where the system wants them to have one. A
// killed process may leave such a file behind.
inline constexpr std::string_view kAside = ".writing-";

void replace_file(const std::filesystem::path& file, std::string_view text,
                  Keep keep = Keep::nothing);
// Several files of one folder in about the time of one. They are put in place in their order: where
// the last one is, the others are.
void replace_files(std::span<const FileText> files);
// The same without syncing: a reader sees the old file or the new one, but a crash of the machine
// may bring the old one back, or leave an empty one.
void replace_unsynced(const std::filesystem::path& file, std::string_view text);
// A file that nobody reads yet, such as one in a folder that is renamed as a whole.
void write_synced(const std::filesystem::path& file, std::string_view text);
// Renames, replacing what is there, and syncs the folder.
void rename_synced(const std::filesystem::path& from, const std::filesystem::path& to);
// Syncs a file, or what was made, renamed or removed in a folder. A system that
// does not let a folder be synced is not an error.
void sync(const std::filesystem::path& file_or_folder);

}  // namespace base
