// The cache of compiled config files: $XDG_CACHE_HOME/kauldron/configs.
//
// A key stands for all that is known before compiling (compiler, flags, file). `<key>.deps` lists
// the files that were read, with their hashes, and names the result; the result's name is a hash of
// all of that. Both are written aside and renamed: a reader never sees half of one, and processes
// that compile the same file at once do not disturb each other.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/temp_folder.h"

namespace loader {

struct Dependency {
  std::string path;
  std::string hash;
};

struct CacheLimits {
  std::uintmax_t bytes = 512 << 20;  // $KD_CACHE_MAX_MB
  std::size_t entries = 200;
};

class Cache {
 public:
  explicit Cache(std::filesystem::path dir, CacheLimits limits = {});
  // Where XDG says, or, without a home, a folder of this user below the one for temporary files.
  static Cache open();

  const std::filesystem::path& dir() const { return dir_; }
  // Whether it can be written to. Once something failed it is false, and results stay private.
  bool writable() const { return writable_; }
  void give_up() { writable_ = false; }

  // A new folder inside; empty when that is not possible.
  std::unique_ptr<base::TempFolder> workspace();

  // The name of the result for this key, if none of the files it was made from has changed. The
  // result itself may have been removed.
  std::optional<std::string> name_of(const std::string& key) const;
  // The files it was made from, as far as they are known.
  std::vector<std::string> sources_of(const std::string& key) const;
  // The result, marked as used now; empty when it is not there.
  std::optional<std::filesystem::path> find(const std::string& name) const;

  // Moves `made` (a file or folder in `workspace`) into the cache as `prefix` + hash + `suffix`.
  // Empty when it cannot be written; `made` stays usable then.
  std::optional<std::filesystem::path> store(const std::string& key, const std::string& prefix,
                                             const std::string& suffix,
                                             const std::filesystem::path& made,
                                             const std::vector<Dependency>& dependencies,
                                             const base::TempFolder& workspace);

  // Removes what was used longest ago, down to the limits, and what dead processes left behind.
  // The entry `keep` stays.
  void prune(const std::string& keep) const;

  // Waits until no other process holds the lock of this name; released with the result.
  std::shared_ptr<void> lock(const std::string& name) const;

 private:
  std::filesystem::path dir_;
  CacheLimits limits_;
  bool writable_ = true;
};

}  // namespace loader
