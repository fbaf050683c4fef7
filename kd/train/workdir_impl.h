// The folder of a run: made, and held by one training at a time; its config. Library only.
#pragma once

#include <filesystem>
#include <vector>

#include "konfig/config_dict.h"

namespace kd::train {

// A folder and those around it, as far as they were missing. What is empty at the end goes away
// again.
class NewFolders {
 public:
  explicit NewFolders(const std::filesystem::path& path);  // an Error when it cannot be made
  ~NewFolders() { remove(); }
  NewFolders(const NewFolders&) = delete;
  NewFolders& operator=(const NewFolders&) = delete;

 private:
  void remove();
  std::vector<std::filesystem::path> made_;  // the innermost first
};

// An Error when files cannot be made in a folder.
void check_can_write(const std::filesystem::path& path);

// Two trainings in one folder would mix their files. The system forgets the hold of a process that
// is killed, and it leaves no file behind.
class HeldWorkdir {
 public:
  // An Error when the folder cannot be made or written to, or is held by another.
  explicit HeldWorkdir(const std::filesystem::path& path);
  ~HeldWorkdir();
  HeldWorkdir(const HeldWorkdir&) = delete;
  HeldWorkdir& operator=(const HeldWorkdir&) = delete;

 private:
  NewFolders folders_;  // when the config is wrong, they stay empty
  int handle_ = -1;
};

// Writes the config that a run begins with as config.json. A run that is resumed writes it only
// where it is missing or damaged; what is damaged is kept beside it, with a warning.
void keep_config(const std::filesystem::path& workdir, const konfig::ConfigDict& config,
                 bool is_new);

}  // namespace kd::train
