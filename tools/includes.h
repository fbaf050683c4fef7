// The includes of the source tree, read as the compiler reads them.
//
//   const Includes includes = all_includes(tree);
//   const auto cycles = include_cycles(includes);
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tools/layers.h"

namespace layers {

struct Include {
  int line;
  std::string path;        // "" for an include of something else than a file, such as a macro
  bool system = false;     // in <>
  bool continues = false;  // the second half of a header, which it includes at its end
};

using Includes = std::map<std::string, std::vector<Include>>;  // by file

std::vector<Include> includes_of(const std::string& file, const Tree& tree);
Includes all_includes(const Tree& tree);

// The chain of includes by which a file reaches libtorch; empty when it does not.
std::string chain_to_torch(const std::string& from, const Includes& includes);

// Every cycle as one line that starts with the place that closes it.
std::vector<std::string> include_cycles(const Includes& includes);

}  // namespace layers
