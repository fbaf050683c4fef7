// Numbers as JSON, YAML and Python write them.
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string>

#include "konfig/parse_number_impl.h"

namespace konfig::detail {
namespace {

// Longer whole numbers are refused: everything up to here also fits a double.
constexpr std::size_t kMaxDigits = 300;

// Digits of another base in decimal, by schoolbook multiplication.
std::string to_decimal(std::string_view digits, int base) {
  std::string decimal(1, 0);  // least significant first
  for (char c : digits) {
    int carry = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    for (char& d : decimal) {
      carry += d * base;
      d = static_cast<char>(carry % 10);
      carry /= 10;
    }
    for (; carry > 0; carry /= 10) decimal += static_cast<char>(carry % 10);
  }
  for (char& d : decimal) d = static_cast<char>(d + '0');
  std::reverse(decimal.begin(), decimal.end());
  return decimal;
}

}  // namespace

std::optional<Value> parse_whole(std::string_view digits, int base, bool negative) {
  if (digits.empty() || digits.size() > kMaxDigits) return std::nullopt;
  std::string text = (negative ? "-" : "") + std::string(digits);
  std::int64_t i = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), i, base);
  if (end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc{}) return i;
  auto decimal = to_decimal(digits, base);
  decimal.erase(0, std::min(decimal.find_first_not_of('0'), decimal.size() - 1));
  if (decimal.size() > kMaxDigits) return std::nullopt;
  return BigInt{(negative ? "-" : "") + decimal};
}

std::optional<Value> parse_decimal(std::string_view text) {
  bool negative = text.starts_with('-');
  auto digits = text.substr(negative ? 1 : 0);
  auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (digits.empty() || !(is_digit(digits.front()) || digits.front() == '.')) {
    return std::nullopt;  // from_chars would also take "inf"
  }
  if (std::all_of(digits.begin(), digits.end(), is_digit)) return parse_whole(digits, 10, negative);
  double d = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), d);
  if (end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // Too large or too small to hold: what strtod makes of it.
    d = std::strtod(std::string(text).c_str(), nullptr);
  }
  return d;
}

}  // namespace konfig::detail
