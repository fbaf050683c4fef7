// Patterns, for set and filter. Library only.
#pragma once

#include <vector>

#include "kontext/path.h"

namespace kontext {

// `**.**` means no more than `**`.
inline GlobPath simplified(const GlobPath& path) {
  std::vector<Part> out;
  for (const Part& part : path) {
    bool again =
        part.wildcard() == Wildcard::any && !out.empty() && out.back().wildcard() == Wildcard::any;
    if (!again) out.push_back(part);
  }
  return GlobPath(std::move(out));
}

}  // namespace kontext
