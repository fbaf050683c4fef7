// Where this copy of the program keeps its headers and scripts, and how it was compiled.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace loader {

// The compiler to use: $KD_CXX, else the one this program was built with.
std::string compiler_name();
// The flags of this program's build that config files must share.
std::vector<std::string> build_flags();

// What config files are compiled against: the include root, and the headers below it, for files
// that only configure and for files with models of their own.
std::filesystem::path include_root();
std::vector<std::filesystem::path> include_dirs();  // the root, and where generated headers are
std::string umbrella_header();                      // "kd/kd.h"
std::string model_header();                         // "kd/model.h"

// The folder of the scripts that read config.py files.
std::filesystem::path python_dir();

// A variable of the environment; "" when it is not set.
std::string environment(const char* name);

}  // namespace loader
