// A question before something that cannot be undone.
#pragma once

#include <string>

namespace cli {

// "remove 3 folders? [y/N]": whether somebody at the terminal agrees. Without a terminal it is a
// UsageError that asks for --yes.
bool agreed(const std::string& question);

}  // namespace cli
