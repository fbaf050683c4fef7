// --sweep.PATH=[1,2,3]: points of a sweep from the command line.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "konfig/value.h"

namespace cli {

// The values of one path, in order.
using SweptPath = std::pair<std::string, konfig::List>;

// Takes them out of `args`. A value that is no list, or an empty one, is a UsageError.
std::vector<SweptPath> take_sweep_flags(std::vector<std::string>& args);

// Every combination, the last path fastest; or, with `zip`, the first of each, the second of each,
// and so on. Lists of different lengths cannot be zipped: a UsageError.
std::vector<konfig::Dict> points_of(const std::vector<SweptPath>& swept, bool zip);

}  // namespace cli
