// The folder of a run: made, and held by one training at a time. Library only.
#pragma once

#include <filesystem>

namespace kd::train {

// Two trainings in one folder would mix their files. The system forgets the hold of a process that
// is killed, and it leaves no file behind.
class HeldWorkdir {
 public:
  // An Error when the folder cannot be made or written to, or is held by another.
  explicit HeldWorkdir(const std::filesystem::path& path);
  // A folder that was made here and is empty, since the config is wrong, goes away again.
  ~HeldWorkdir();
  HeldWorkdir(const HeldWorkdir&) = delete;
  HeldWorkdir& operator=(const HeldWorkdir&) = delete;

 private:
  std::filesystem::path path_;
  bool made_ = false;
  int handle_ = -1;
};

}  // namespace kd::train
