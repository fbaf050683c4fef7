// A check for options that take a whole number: --tail=20.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "base/number_in.h"

namespace cli {

// CLI11's own ranges are printed with 300 digits.
inline CLI::Validator at_least(long long least) {
  const auto check = [least](const std::string& given) -> std::string {
    const auto value = base::number_in<long long>(given);
    if (value && *value >= least) return "";
    return "expected a whole number from " + std::to_string(least) + ", got '" + given + "'";
  };
  return CLI::Validator(check, "");
}

}  // namespace cli
