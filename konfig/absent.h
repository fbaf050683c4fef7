// Modules of Python of which nothing is registered, and what to write instead.
//
//   KONFIG_ABSENT("flax.nnx", "an NNX module is a Python class; write it as a C++ module");
#pragma once

#include <string>

#include "konfig/register.h"

namespace konfig::detail {

// Names in the module, and in modules within, are refused with this advice.
bool register_absent(std::string module, std::string advice);

}  // namespace konfig::detail

#define KONFIG_ABSENT(module, advice) KONFIG_RUN(konfig::detail::register_absent(module, advice))
