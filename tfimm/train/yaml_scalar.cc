// Plain scalars of YAML 1.1, as PyYAML reads them.
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "tfimm/train/values_impl.h"
#include "tfimm/train/yaml_scalar_impl.h"

namespace tfimm::train::detail {

using konfig::Value;

namespace {

// Takes a scalar apart from the front.
class Scan {
 public:
  explicit Scan(std::string_view text) : rest_(text) {}
  bool done() const { return rest_.empty(); }
  bool eat(char c) {
    if (done() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool eat_any(std::string_view set) {
    if (done() || set.find(rest_.front()) == set.npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // How many of these there were, up to `most`.
  std::size_t run(std::string_view set, std::size_t most = std::string_view::npos) {
    std::size_t n = 0;
    while (n < most && eat_any(set)) ++n;
    return n;
  }
  bool digits(std::size_t least, std::size_t most) {
    const std::size_t n = run(kDigits, most);
    return n >= least;
  }
  // (:[0-5]?[0-9])+, the digits of base 60.
  bool sixties() {
    bool any = false;
    while (eat(':')) {
      const std::string_view before = rest_;
      if (run(kDigits, 2) == 0) return false;
      if (before.size() - rest_.size() == 2 && before[0] > '5') return false;
      any = true;
    }
    return any;
  }
  bool exponent() {
    if (done()) return true;
    return eat_any("eE") && eat_any("+-") && run(kDigits) > 0 && done();
  }

  static constexpr std::string_view kDigits = "0123456789";

 private:
  std::string_view rest_;
};

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool is_int(std::string_view text) {
  const std::string_view bare =
      text.substr(!text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0);
  if (bare.starts_with("0b"))
    return Scan(bare.substr(2)).run("01_") + 2 == bare.size() && bare.size() > 2;
  if (bare.starts_with("0x")) {
    return Scan(bare.substr(2)).run("0123456789abcdefABCDEF_") + 2 == bare.size() &&
           bare.size() > 2;
  }
  if (bare == "0") return true;
  if (bare.starts_with("0")) return Scan(bare.substr(1)).run("01234567_") + 1 == bare.size();
  Scan scan(bare);
  if (!scan.eat_any("123456789")) return false;
  scan.run("0123456789_");
  return scan.done() || (scan.sixties() && scan.done());
}

bool is_float(std::string_view text) {
  if (text.empty()) return false;
  const bool has_sign = text[0] == '-' || text[0] == '+';
  const std::string_view bare = text.substr(has_sign ? 1 : 0);
  if (is_one_of(bare, {".inf", ".Inf", ".INF"})) return true;
  if (is_one_of(text, {".nan", ".NaN", ".NAN"})) return true;
  if (!has_sign && bare.starts_with(".")) {
    Scan scan(bare.substr(1));
    if (!scan.eat_any(Scan::kDigits)) return false;
    scan.run("0123456789_");
    return scan.exponent();
  }
  Scan scan(bare);
  if (!scan.eat_any(Scan::kDigits)) return false;
  scan.run("0123456789_");
  Scan sixty = scan;
  if (scan.eat('.')) {
    scan.run("0123456789_");
    return scan.exponent();
  }
  if (!sixty.sixties() || !sixty.eat('.')) return false;
  sixty.run("0123456789_");
  return sixty.done();
}

bool is_timestamp(std::string_view text) {
  Scan date(text);
  if (!date.digits(4, 4) || !date.eat('-') || !date.digits(1, 2) || !date.eat('-') ||
      !date.digits(1, 2)) {
    return false;
  }
  if (date.done()) return text.size() == 10;
  if (!date.eat_any("Tt") && date.run(" \t") == 0) return false;
  if (!date.digits(1, 2) || !date.eat(':') || !date.digits(2, 2) || !date.eat(':') ||
      !date.digits(2, 2)) {
    return false;
  }
  if (date.eat('.')) date.run(Scan::kDigits);
  Scan zone = date;
  zone.run(" \t");
  if (date.done()) return true;
  if (zone.eat('Z')) return zone.done();
  if (!zone.eat_any("+-") || !zone.digits(1, 2)) return false;
  if (zone.eat(':') && !zone.digits(2, 2)) return false;
  return zone.done();
}

std::string without(std::string_view text, char dropped) {
  std::string out(text);
  std::erase(out, dropped);
  return out;
}

// "1:30" is 90.
template <class Number>
Number base_60(std::string_view text) {
  Number out = 0;
  while (true) {
    const auto colon = text.find(':');
    out = out * 60 +
          static_cast<Number>(std::strtod(std::string(text.substr(0, colon)).c_str(), nullptr));
    if (colon == text.npos) return out;
    text.remove_prefix(colon + 1);
  }
}

Value int_value(std::string_view scalar) {
  std::string text = without(scalar, '_');
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.erase(0, 1);
  const bool based = text.size() > 1 && text[0] == '0';
  if (text.find(':') != text.npos && !based) {
    const auto number = base_60<std::int64_t>(text);
    return negative ? -number : number;
  }
  if (!based) return *read_int((negative ? "-" : "") + text);
  const int base = text[1] == 'b' ? 2 : text[1] == 'x' ? 16 : 8;
  const std::string digits = text.substr(base == 8 ? 1 : 2);
  errno = 0;
  const std::int64_t number = std::strtoll(digits.c_str(), nullptr, base);
  if (errno == ERANGE || digits.empty()) return Value(scalar);
  return negative ? -number : number;
}

Value float_value(std::string_view scalar) {
  std::string text = without(scalar, '_');
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.erase(0, 1);
  const double sign = negative ? -1 : 1;
  if (text.ends_with("nf") || text.ends_with("NF")) {
    return sign * std::numeric_limits<double>::infinity();
  }
  if (text.ends_with("aN") || text.ends_with("an") || text.ends_with("AN")) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (text.find(':') != text.npos) return sign * base_60<double>(text);
  return sign * std::strtod(text.c_str(), nullptr);
}

}  // namespace

Plain plain_kind(std::string_view scalar) {
  if (is_one_of(scalar, {"", "~", "null", "Null", "NULL"})) return Plain::null;
  if (is_one_of(scalar, {"yes", "Yes", "YES", "no", "No", "NO", "true", "True", "TRUE", "false",
                         "False", "FALSE", "on", "On", "ON", "off", "Off", "OFF"})) {
    return Plain::boolean;
  }
  if (is_int(scalar)) return Plain::integer;
  if (is_float(scalar)) return Plain::floating;
  if (scalar == "<<") return Plain::merge;
  if (scalar == "=") return Plain::value;
  if (is_timestamp(scalar)) return Plain::timestamp;
  return Plain::text;
}

Value plain_value(std::string_view scalar) {
  switch (plain_kind(scalar)) {
    case Plain::null:
      return {};
    case Plain::boolean:
      return is_one_of(scalar, {"yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"});
    case Plain::integer:
      return int_value(scalar);
    case Plain::floating:
      return float_value(scalar);
    default:
      return Value(scalar);
  }
}

}  // namespace tfimm::train::detail
