#include "base/real_path.h"

#include <system_error>

namespace base {

namespace fs = std::filesystem;

fs::path real_path(const fs::path& path) {
  std::error_code error;
  fs::path out = fs::weakly_canonical(path, error);
  return error ? path.lexically_normal() : out;
}

}  // namespace base
