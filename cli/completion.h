// Completion scripts for shells. They ask `kd __complete WORDS...` (cli/complete.h) for candidates.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cli {

std::vector<std::string> shells();
std::string completion_script(std::string_view shell);

}  // namespace cli
