// The program from its arguments to its exit code.
#pragma once

#include <string>
#include <vector>

namespace cli {

// Exit codes, the same for all verbs.
inline constexpr int kFine = 0;
inline constexpr int kFailure = 1;  // also: `kd config diff` found differences
inline constexpr int kUsage = 2;

// `args` without the program's name. Never throws: errors are reported on standard error.
int run(std::vector<std::string> args);

}  // namespace cli
