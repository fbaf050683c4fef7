// From file.cc to a shared library, through the cache.
#pragma once

#include <filesystem>
#include <memory>

#include "base/temp_folder.h"

namespace loader {

struct Compiled {
  std::filesystem::path library;
  bool cached = false;  // nothing had to be compiled
  std::shared_ptr<const base::TempFolder>
      temporary;  // set: the library is not in the cache, gone with this
};

// A mistake in the file is an Error with the compiler's first message. `fresh`: do not look in the
// cache.
Compiled compile(const std::filesystem::path& file, bool fresh = false);

}  // namespace loader
