// Names of types and constants as people write them in data files.
//
//   std::string name = registered_qualname("kxm.Job");   // "kauldron.kxm:Job"
#pragma once

#include <string>
#include <string_view>

#include "konfig/value.h"

namespace konfig {

// The registered name that people mean by "kd.train.Trainer", "kxm.Job", "kauldron.kxm.Job" or
// "kauldron.xm._src.job_lib:Job"; what is registered under no such name stays as it is.
std::string registered_qualname(std::string_view qualname);

// Plain data with every `__qualname__` and `__const__` so.
Value with_registered_names(const Value& data);

}  // namespace konfig
