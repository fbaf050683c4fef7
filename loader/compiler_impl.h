// The compiler for config files: which one, with which flags, and what it says.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "loader/cache_impl.h"
#include "loader/subprocess_impl.h"

namespace loader {

struct Compiler {
  std::filesystem::path program;
  std::vector<std::string> flags;  // for every file
  std::string identity;            // text that differs where results may differ
};

// The compiler of this machine; an Error when it is missing.
Compiler find_compiler();

// One run of it.
struct Compilation {
  Outcome outcome;
  bool disk_full = false;
  std::vector<Dependency> dependencies;  // absolute paths; empty when it failed
  bool stable = true;  // false: a file changed meanwhile, so that the hashes prove nothing
};

// Runs the compiler with `arguments` after its flags; its own temporary files go to `workspace`.
Compilation run_compiler(const Compiler& compiler, const std::vector<std::string>& arguments,
                         const std::filesystem::path& workspace);

// Text for an error: the compiler's first one, or all it said if $KD_VERBOSE is set.
std::string explain(const Compilation& failed, const std::string& file);

bool is_verbose();  // $KD_VERBOSE

}  // namespace loader
