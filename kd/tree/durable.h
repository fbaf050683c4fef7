// Files that outlive a crash: what was written is on disk before anything is renamed to its place.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace kd {

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

// An Error with the reason `error` (an errno): "runs/a/x.json: cannot be written: ...".
[[noreturn]] void fail_with_errno(const std::filesystem::path& file, const std::string& what,
                                  int error);

}  // namespace kd
