#include "kd/core/damaged.h"

#include <string>

#include "kd/core/durable.h"

namespace kd {

namespace fs = std::filesystem;

fs::path name_for_damaged(const fs::path& path) {
  const std::string base = path.string() + ".damaged";
  fs::path out = base;
  for (int i = 1; fs::exists(fs::symlink_status(out)); ++i) out = base + std::to_string(i);
  return out;
}

fs::path set_aside(const fs::path& path) {
  fs::path aside = name_for_damaged(path);
  rename_synced(path, aside);
  return aside;
}

}  // namespace kd
