// A check for options that take a whole number: --tail=20.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <string>

namespace cli {

// CLI11's own ranges are printed with 300 digits.
inline CLI::Validator at_least(long long least) {
  const auto check = [least](const std::string& given) -> std::string {
    long long value = 0;
    const char* end = given.data() + given.size();
    const auto [stop, error] = std::from_chars(given.data(), end, value);
    if (error == std::errc() && stop == end && value >= least) return "";
    return "expected a whole number from " + std::to_string(least) + ", got '" + given + "'";
  };
  return CLI::Validator(check, "");
}

}  // namespace cli
