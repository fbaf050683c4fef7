// Command lines of jobs, tried before the first of them is started.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "konfig/config_dict.h"

namespace cli {

// Throws an Error for a `kd train` or `kd eval` that would be refused for its flags, or for its
// patches of `config`. The flags of the config itself, --cfg=, are not looked at. It remembers what
// it has tried.
using CommandTrier =
    std::function<void(const std::vector<std::string>& argv, const konfig::ConfigDict& config)>;
CommandTrier command_trier();

}  // namespace cli
