// From file.cc to a shared library, through the cache.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/temp_folder.h"

namespace loader {

struct Compiled {
  std::filesystem::path library;
  bool cached = false;                              // nothing had to be compiled
  std::vector<std::filesystem::path> sources = {};  // what it was made from, besides our headers
  std::shared_ptr<const base::TempFolder>
      temporary;  // set: the library is not in the cache, gone with this
};

// A mistake in the file is an Error with the compiler's first message. `fresh`: do not look in the
// cache.
Compiled compile(const std::filesystem::path& file, bool fresh = false);

// Where the compiled form stands beside a copy of the file that has this text, made by this
// program. It is used if it is there.
std::filesystem::path kept_library(const std::filesystem::path& file, const std::string& source);

}  // namespace loader
