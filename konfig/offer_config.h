// Configs of a library that is loaded when one of them is asked for.
#pragma once

#include <functional>
#include <string>

namespace konfig {

// `load` registers a config of this name; find_config calls it the first time it looks for one.
void offer_config(std::string name, std::function<void()> load);

}  // namespace konfig
