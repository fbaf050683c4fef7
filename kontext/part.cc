// Part: printing, hashing, slices.
#include "kontext/part.h"

#include <cmath>
#include <cstdlib>
#include <functional>

#include "base/join.h"
#include "base/shape_text.h"
#include "konfig/scalar_text.h"
#include "kontext/name_impl.h"

namespace kontext {
namespace {

using konfig::BigInt;
using konfig::Complex;
using konfig::Error;
using konfig::ErrorKind;
using konfig::Tuple;
using konfig::Value;

bool is_number(const Value& v) {
  return v.is<std::int64_t>() || v.is<double>() || v.is<BigInt>() || v.is<Complex>();
}
// What may stand in axes without parentheses.
bool is_axis(const Value& v) {
  return is_number(v) || v.is<Slice>() || v.is<Ellipsis>() || v.is_none();
}

bool is_part(const Value& v) {
  if (auto* tuple = v.get_if<Tuple>()) {
    for (auto& item : *tuple) {
      if (!is_part(item)) return false;
    }
    return true;
  }
  return is_axis(v) || v.is<bool>() || v.is<std::string>();
}

std::string slice_text(const Slice& slice) {
  auto bound = [](auto& b) { return b ? std::to_string(*b) : std::string(); };
  std::string out = bound(slice.start) + ":" + bound(slice.stop);
  return slice.step ? out + ":" + bound(slice.step) : out;
}

std::string inner_text(const Value& v);

// Only numbers, slices, `...` and None, also in tuples inside.
bool only_axes(const Value& v) {
  auto* tuple = v.get_if<Tuple>();
  if (!tuple) return is_axis(v);
  for (auto& item : *tuple) {
    if (!only_axes(item)) return false;
  }
  return true;
}

// "(1, 2)"
std::string python_text(const Value& v) {
  auto* tuple = v.get_if<Tuple>();
  if (!tuple) return inner_text(v);
  return base::tuple_text(*tuple, python_text);
}

// "0,1", "0,", "('b',1)", "()". Every one reads back as the same tuple but for tuples of numbers
// inside tuples of numbers, for which the grammar has no notation: they look as in the reference.
std::string tuple_text(const Tuple& tuple, bool in_brackets) {
  bool axes = in_brackets && !tuple.empty() && only_axes(tuple);
  std::string items = base::join(tuple, ",", axes ? python_text : inner_text);
  if (tuple.size() == 1) items += ",";
  return axes ? items : "(" + items + ")";
}

std::string inner_text(const Value& v) {
  if (auto* slice = v.get_if<Slice>()) return slice_text(*slice);
  if (auto* tuple = v.get_if<Tuple>()) return tuple_text(*tuple, /*in_brackets=*/false);
  return konfig::scalar_text(v);
}

std::size_t combine(std::size_t a, std::size_t b) { return a * 1000003 ^ b; }

// Equal numbers have equal hashes, whatever their type.
std::size_t hash_number(double d) {
  if (d >= -9.2e18 && d <= 9.2e18 && d == std::floor(d)) {
    return std::hash<std::int64_t>{}(static_cast<std::int64_t>(d));
  }
  return std::hash<double>{}(d);
}

std::size_t hash_value(const Value& v) {
  if (auto* text = v.get_if<std::string>()) return std::hash<std::string>{}(*text);
  if (auto* i = v.get_if<std::int64_t>()) return std::hash<std::int64_t>{}(*i);
  if (auto* b = v.get_if<bool>()) return std::hash<std::int64_t>{}(*b ? 1 : 0);
  if (auto* d = v.get_if<double>()) return hash_number(*d);
  if (auto* big = v.get_if<BigInt>()) return hash_number(std::strtod(big->digits.c_str(), nullptr));
  if (auto* c = v.get_if<Complex>()) {
    auto real = hash_number(c->real);
    return c->imag == 0 ? real : combine(real, hash_number(c->imag));
  }
  std::size_t out = v.variant().index();
  if (auto* slice = v.get_if<Slice>()) {
    for (auto& bound : {slice->start, slice->stop, slice->step}) {
      out = combine(out, std::hash<std::optional<std::int64_t>>{}(bound));
    }
  } else if (auto* tuple = v.get_if<Tuple>()) {
    for (auto& item : *tuple) out = combine(out, hash_value(item));
  }
  return out;
}

}  // namespace

Part::Part(Value value) : value_(std::move(value)) {
  if (value_.is<Ellipsis>()) value_ = Axes{Ellipsis{}};
  if (is_part(value_)) return;
  throw Error(ErrorKind::value, "[path] " + std::string(value_.type_name()) +
                                    " cannot be part of a path; a part is text, a number, True, "
                                    "False, None, a slice or a tuple of these");
}

std::string Part::str() const {
  if (is_wildcard()) return name();
  if (auto* s = text(); s && is_plain_name(*s)) return *s;
  if (auto* tuple = value_.get_if<Tuple>()) return "[" + tuple_text(*tuple, true) + "]";
  return "[" + inner_text(value_) + "]";
}

std::string Part::name() const {
  if (auto* s = value_.get_if<std::string>()) return *s;
  return inner_text(value_);
}

std::size_t Part::hash() const { return hash_value(value_); }

Range range_of(const Slice& slice, std::size_t size) {
  auto n = static_cast<std::int64_t>(size);
  auto step = slice.step.value_or(1);
  if (step == 0) throw Error(ErrorKind::value, "[slice] the step of a slice cannot be 0");
  auto lowest = step > 0 ? std::int64_t{0} : std::int64_t{-1};
  auto highest = step > 0 ? n : n - 1;
  auto clamp = [&](std::int64_t i) {
    if (i < 0) i = i < -n ? lowest : i + n;
    return i < lowest ? lowest : i > highest ? highest : i;
  };
  auto start = slice.start ? clamp(*slice.start) : step > 0 ? lowest : highest;
  auto stop = slice.stop ? clamp(*slice.stop) : step > 0 ? highest : lowest;
  Range out{start, step, 0};
  // A step beyond the sequence selects one item; this also keeps the sums below from overflowing.
  if (step > n) out.step = n + 1;
  if (step < -n) out.step = -n - 1;
  if (out.step > 0 && stop > start) {
    out.count = static_cast<std::size_t>((stop - start + out.step - 1) / out.step);
  } else if (out.step < 0 && stop < start) {
    out.count = static_cast<std::size_t>((start - stop - out.step - 1) / -out.step);
  }
  return out;
}

}  // namespace kontext
