// What --help and the shell's completion show of the flags.
#pragma once

#include <string>
#include <vector>

#include "tfimm/train/discover_impl.h"

namespace tfimm::train::detail {

std::string help_text(const std::vector<KnownFlag>& flags);
std::vector<std::string> completions(const std::vector<KnownFlag>& flags, const std::string& word);

}  // namespace tfimm::train::detail
