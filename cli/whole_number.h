// A check for options that take a whole number: --tail=20.
#pragma once

#include <CLI/CLI.hpp>
#include <limits>
#include <string>

#include "base/number_in.h"

namespace cli {

// CLI11's own ranges are printed with 300 digits.
inline CLI::Validator whole_number(long long least,
                                   long long most = std::numeric_limits<long long>::max()) {
  const bool has_most = most != std::numeric_limits<long long>::max();
  const std::string range = std::to_string(least) + (has_most ? " to " + std::to_string(most) : "");
  const auto check = [least, most, range](const std::string& given) -> std::string {
    const auto value = base::number_in<long long>(given);
    if (value && *value >= least && *value <= most) return "";
    return "expected a whole number from " + range + ", got '" + given + "'";
  };
  return CLI::Validator(check, "");
}

inline CLI::Validator at_least(long long least) { return whole_number(least); }

}  // namespace cli
