// What a field wants, and values in its favour.
#include <algorithm>
#include <cmath>

#include "flags/wanted_impl.h"

namespace flags::detail {

using konfig::Kind;
using konfig::Type;
using konfig::Value;

Wanted wanted_by(const Value& current) {
  if (current.is<bool>()) return Wanted::boolean;
  if (current.is<std::int64_t>() || current.is<konfig::BigInt>()) return Wanted::whole;
  if (current.is<double>()) return Wanted::real;
  if (current.is<std::string>()) return Wanted::text;
  if (current.is<konfig::ConfigDict>() || current.is<konfig::List>() || current.is<konfig::Tuple>())
    return Wanted::other;
  return Wanted::unknown;
}

namespace {

// A variant wants what its only plain alternative is: a number, where it is a number or a node.
Wanted wanted_by_variant(const Type& type) {
  auto wanted = Wanted::unknown;
  for (auto alternative : type.alternatives) {
    auto one = wanted_by(alternative());
    if (one == Wanted::unknown) continue;
    if (wanted != Wanted::unknown) return Wanted::unknown;
    wanted = one;
  }
  return wanted;
}

}  // namespace

Wanted wanted_by(const Type& type) {
  switch (type.kind) {
    case Kind::boolean:
      return Wanted::boolean;
    case Kind::integer:
      return Wanted::whole;
    case Kind::floating:
      return Wanted::real;
    case Kind::text:
      return Wanted::text;
    case Kind::optional:
    case Kind::required:
    case Kind::inherit:
      return wanted_by(type.element());
    case Kind::variant:
      return wanted_by_variant(type);
    default:
      return Wanted::unknown;
  }
}

bool accepts(const Type& type, const Value& value) {
  switch (type.kind) {
    case Kind::boolean:
      return value.is<bool>();
    case Kind::integer:
      return value.is<std::int64_t>() || value.is<konfig::BigInt>();
    case Kind::floating:
      return value.is<double>() || value.is<std::int64_t>() || value.is<konfig::BigInt>();
    case Kind::text:
      return value.is<std::string>();
    case Kind::poly:
      return value.is_none() || value.is<konfig::ConfigDict>();
    case Kind::any:
      return true;
    case Kind::optional:
    case Kind::required:
    case Kind::inherit:
      return accepts(type.element(), value);
    case Kind::variant:
      return std::any_of(type.alternatives.begin(), type.alternatives.end(),
                         [&](auto alternative) { return accepts(alternative(), value); });
    default:
      return false;
  }
}

Value adapt(Wanted wanted, const Value& value, const std::string& text) {
  auto* words = value.get_if<std::string>();
  auto* number = value.get_if<double>();
  auto* whole = value.get_if<std::int64_t>();
  switch (wanted) {
    case Wanted::text:
      if (!words && !value.is_none()) return text;
      break;
    case Wanted::boolean:
      if (whole && (*whole == 0 || *whole == 1)) return *whole == 1;
      if (words && (*words == "yes" || *words == "on")) return true;
      if (words && (*words == "no" || *words == "off")) return false;
      break;
    case Wanted::whole:
      if (number && *number == std::floor(*number) && std::fabs(*number) < 9e15) {
        return static_cast<std::int64_t>(*number);
      }
      break;
    case Wanted::real:
      if (words && (*words == "nan" || *words == "inf" || *words == "-inf")) {
        return *words == "nan" ? std::nan("") : *words == "inf" ? INFINITY : -INFINITY;
      }
      break;
    case Wanted::unknown:
    case Wanted::other:
      break;
  }
  return value;
}

}  // namespace flags::detail
