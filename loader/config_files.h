// The files that loading a config reads, so that copies of them load the same elsewhere and later.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "loader/loader.h"

namespace loader {

struct ConfigFile {
  std::string name;  // below one folder for all of them: there they find each other
  std::filesystem::path source;
};

// The config itself comes first; none for one that is compiled in or comes from standard input. Of
// a file.cc also its compiled form, which this program uses in place of a compiler as long as the
// file is the same and so is the program.
std::vector<ConfigFile> config_files(const Request& request);

}  // namespace loader
