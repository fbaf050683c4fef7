// What ends a command besides konfig::Error.
#pragma once

#include <stdexcept>
#include <string>

namespace cli {

// The command line is wrong, not the config: exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The world is wrong: a file cannot be written. Exit code 1.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace cli
