// A launch that is refused before anything was started.
#pragma once

#include <stdexcept>
#include <string>

#include "konfig/error.h"

namespace cli {

// Exit code 2, as for wrong usage, since 1 means that jobs ran and some failed. Its text says
// enough without a hint at --help.
class Refusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// An error of a config, with the place first: "cfg.optimizer.b1: ...".
std::string error_text(const konfig::Error& error);

}  // namespace cli
