// Who holds which folder: from the locks of the system, and what their owners have open. The number
// of a file system in /proc/locks is not always that of stat().
#include <sys/stat.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "kxm/lock_impl.h"
#include "kxm/trainings_impl.h"

namespace kxm {

namespace fs = std::filesystem;

namespace {

// Processes with a whole file locked for writing: "1: FLOCK  ADVISORY  WRITE 4711 fe:00:99 0 EOF".
std::set<int> owners() {
  std::set<int> out;
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
    std::string number, kind, mode, access;
    int pid = 0;
    if (!(words >> number >> kind >> mode >> access >> pid)) continue;
    if (kind == "FLOCK" && access == "WRITE" && pid > 0) out.insert(pid);
  }
  return out;
}

}  // namespace

Trainings::Trainings() {
  for (const int pid : owners()) {
    std::error_code unreadable;  // of another user, or gone
    const fs::path open = fs::path("/proc") / std::to_string(pid) / "fd";
    for (fs::directory_iterator it(open, unreadable), end; !unreadable && it != end;
         it.increment(unreadable)) {
      struct stat found;
      if (::stat(it->path().c_str(), &found) != 0 || !S_ISDIR(found.st_mode)) continue;
      folders_[{found.st_dev, found.st_ino}] = pid;
    }
  }
}

std::optional<int> Trainings::in(const fs::path& folder) const {
  struct stat found;
  if (none() || ::stat(folder.c_str(), &found) != 0) return std::nullopt;
  const auto open = folders_.find({found.st_dev, found.st_ino});
  if (open == folders_.end() || !is_training_in(folder)) return std::nullopt;
  return open->second;
}

}  // namespace kxm
