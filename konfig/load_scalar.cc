// Numbers, text, enumerators and durations: by size and signedness, so one copy of this code
// serves all integer and floating types.
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "konfig/load.h"
#include "konfig/number.h"
#include "konfig/suggest.h"

namespace konfig::detail {

namespace {

// A whole number of either sign that fits 64 bits.
struct Whole {
  bool negative = false;
  std::uint64_t magnitude = 0;
};

std::optional<Whole> as_whole(const Value& value) {
  if (auto* i = value.get_if<std::int64_t>()) {
    return Whole{*i < 0,
                 *i < 0 ? 0 - static_cast<std::uint64_t>(*i) : static_cast<std::uint64_t>(*i)};
  }
  if (auto* big = value.get_if<BigInt>()) {
    std::string_view digits = big->digits;
    Whole out;
    if (digits.starts_with('-')) out.negative = true, digits.remove_prefix(1);
    auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), out.magnitude);
    if (ec == std::errc() && end == digits.data() + digits.size()) return out;
  }
  return std::nullopt;
}

struct Range {
  std::int64_t min;
  std::uint64_t max;
};
Range range_of(const Type& type) {
  const auto bits = 8 * type.size;
  const std::uint64_t all = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  if (!type.is_signed) return {0, all};
  return {-static_cast<std::int64_t>(all / 2) - 1, all / 2};
}

bool fits(const Whole& whole, const Range& range) {
  if (!whole.negative) return whole.magnitude <= range.max;
  return range.min < 0 && whole.magnitude <= 0 - static_cast<std::uint64_t>(range.min);
}

[[noreturn]] void fail_range(const Type& type, const Value& value) {
  const Range range = range_of(type);
  throw Error(ErrorKind::value, "expected a whole number from " + std::to_string(range.min) +
                                    " to " + std::to_string(range.max) + ", got " +
                                    describe(value));
}

void load_integer(const Type& type, void* out, const Value& value) {
  auto whole = as_whole(value);
  if (!whole && !value.is<BigInt>()) fail_expected(type, value);
  if (!whole || !fits(*whole, range_of(type))) fail_range(type, value);
  write_whole(out, type.size, whole->negative ? 0 - whole->magnitude : whole->magnitude);
}

void load_floating(const Type& type, void* out, const Value& value) {
  double number = 0;
  if (auto* d = value.get_if<double>()) {
    number = *d;
  } else if (auto* i = value.get_if<std::int64_t>()) {
    number = static_cast<double>(*i);
  } else if (auto* big = value.get_if<BigInt>()) {
    std::from_chars(big->digits.data(), big->digits.data() + big->digits.size(), number);
  } else {
    fail_expected(type, value);
  }
  if (type.size == sizeof(float) && std::isfinite(number) &&
      std::abs(number) > std::numeric_limits<float>::max()) {
    throw Error(ErrorKind::value,
                "expected a number within the range of float, got " + describe(value));
  }
  write_real(out, type.size, number);
}

void load_text(const Type& type, void* out, const Value& value) {
  if (auto* text = value.get_if<std::string>()) {
    type.from_text(out, *text);
  } else if (auto* path = value.get_if<std::filesystem::path>()) {
    type.from_text(out, path->string());
  } else {
    fail_expected(type, value);
  }
}

void load_enum(const Type& type, void* out, const Value& value) {
  auto* text = value.get_if<std::string>();
  if (!text) fail_expected(type, value);
  std::vector<std::string> known;
  for (const Enumerator& e : type.enumerators) {
    if (e.name == *text) return write_whole(out, type.size, static_cast<std::uint64_t>(e.value));
    known.emplace_back(e.name);
  }
  throw Error(ErrorKind::value,
              "expected " + words(type) + ", got " + describe(value) + did_you_mean(*text, known));
}

// Seconds per unit, as a fraction.
std::optional<std::pair<std::int64_t, std::int64_t>> unit(std::string_view text) {
  if (text == "ns") return {{1, 1'000'000'000}};
  if (text == "us") return {{1, 1'000'000}};
  if (text == "ms") return {{1, 1'000}};
  if (text == "s") return {{1, 1}};
  if (text == "min" || text == "m") return {{60, 1}};
  if (text == "h") return {{3600, 1}};
  if (text == "d") return {{86400, 1}};
  return std::nullopt;
}

// "1.5h" in units of the type.
long double parse_duration(const Type& type, const Value& value) {
  const std::string& text = value.as<std::string>();
  double number = 0;
  const char* end_of_text = text.data() + text.size();
  auto [end, ec] = std::from_chars(text.data(), end_of_text, number);
  while (end != end_of_text && *end == ' ') ++end;
  auto fraction = unit({end, static_cast<std::size_t>(end_of_text - end)});
  if (ec != std::errc() || !fraction || !std::isfinite(number)) fail_expected(type, value);
  return static_cast<long double>(number) * fraction->first * type.period[1] /
         (static_cast<long double>(fraction->second) * type.period[0]);
}

void load_duration(const Type& type, void* out, const Value& value) {
  if (!type.is_whole) {
    if (!value.is<std::string>()) return load_floating(type, out, value);
    return write_real(out, type.size, static_cast<double>(parse_duration(type, value)));
  }
  if (!value.is<std::string>()) return load_integer(type, out, value);
  const long double units = parse_duration(type, value);
  const Range range = range_of(type);
  if (units != std::floor(units) || units < static_cast<long double>(range.min) ||
      units > static_cast<long double>(range.max)) {
    fail_expected(type, value);
  }
  write_whole(
      out, type.size,
      units < 0 ? 0 - static_cast<std::uint64_t>(-units) : static_cast<std::uint64_t>(units));
}

}  // namespace

void load_scalar(const Type& type, void* out, const Value& value) {
  switch (type.kind) {
    case Kind::boolean: {
      auto* b = value.get_if<bool>();
      if (!b) fail_expected(type, value);
      *static_cast<bool*>(out) = *b;
      return;
    }
    case Kind::integer:
      return load_integer(type, out, value);
    case Kind::floating:
      return load_floating(type, out, value);
    case Kind::text:
      return load_text(type, out, value);
    case Kind::enumeration:
      return load_enum(type, out, value);
    default:
      return load_duration(type, out, value);
  }
}

}  // namespace konfig::detail
