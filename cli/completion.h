// Completion scripts for shells. They ask `kd __complete WORDS...` (cli/complete.h) for candidates.
#pragma once

#include <string>

namespace cli {

enum class Shell { bash, zsh, fish };

std::string completion_script(Shell shell);

}  // namespace cli
