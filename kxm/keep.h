// Files kept by content: copies that later edits and rebuilds do not change.
//
//   const Snapshot kept(home / "store", plan.files);     // reads the files, writes nothing
//   argv.push_back(kept.path("config.py"));              // where jobs will find it
//   kept.write();
//
// A snapshot is a folder named by the hash of what is in it, names and contents: files that lie
// beside each other still do, and the same files are stored once.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "kxm/plan.h"

namespace kxm {

class Snapshot {
 public:
  // `store` is the folder of all snapshots. An Error names a file that cannot be read.
  Snapshot(const std::filesystem::path& store, std::vector<KeptFile> files);

  const std::filesystem::path& folder() const { return folder_; }
  std::string path(std::string_view name) const;  // an Error if no file has that name
  // Copies what is not there yet; an Error if a file was changed since. Safe for several at once.
  void write() const;

 private:
  std::vector<KeptFile> files_;
  std::vector<std::string> hashes_;
  std::filesystem::path folder_;
};

// What a program needs from its own folders, laid out as they are: the program, the libraries that
// it was linked to and finds by $ORIGIN, and those beside them whose names start with `opened`,
// which it opens later. Only the program if it is not an ELF file.
std::vector<KeptFile> program_files(const std::filesystem::path& program,
                                    std::string_view opened = "libkd");

}  // namespace kxm
