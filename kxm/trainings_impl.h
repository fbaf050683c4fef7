// Trainings that run on this machine, whoever started them: `kd train` and `kd resume FOLDER` lock
// the folder of their run (flock). To look is not to lock: a training that begins meanwhile is not
// refused.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <optional>
#include <utility>

namespace kxm {

class Trainings {
 public:
  Trainings();  // as they are now

  bool none() const { return folders_.empty(); }
  // The process that trains in this folder, if one does that can be seen.
  std::optional<int> in(const std::filesystem::path& folder) const;

 private:
  // Folders that processes with a lock have open.
  std::map<std::pair<dev_t, ino_t>, int> folders_;
};

}  // namespace kxm
