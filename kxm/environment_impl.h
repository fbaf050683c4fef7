// The environment that a process was started with.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace kxm {

// None for a process of another user, and for one that is gone.
std::optional<std::map<std::string, std::string>> environment_of(int pid);

}  // namespace kxm
