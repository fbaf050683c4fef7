// Part: one step of a path: text, a number, True, None, a slice, axes of an array, or a wildcard.
//
//   parts = {Part("image"), Part(0), Part(Slice{.start = 1}), Part(Axes{Ellipsis{}, 0}),
//            Part::star()};
//
// Parts compare as in Python: 1 == 1.0 == true. A Part holds a konfig::Value, so that it is the key
// of a Dict or a ConfigDict as it stands.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "konfig/value.h"

namespace kontext {

using Axes = konfig::Tuple;  // of numbers, slices, `...` and None
using konfig::Ellipsis;
using konfig::None;
using konfig::Slice;

enum class Wildcard {
  none,
  one,  // `*`: every child
  any,  // `**`: this level and all below
};

class Part {
 public:
  Part(const char* text) : value_(text) {}
  Part(std::string_view text) : value_(text) {}
  Part(std::string text) : value_(std::move(text)) {}
  template <class N>
  requires std::is_arithmetic_v<N> Part(N number) : value_(number) {}
  Part(None) {}
  Part(Slice slice) : value_(std::move(slice)) {}
  Part(Ellipsis) : value_(Axes{Ellipsis{}}) {}
  Part(Axes axes) : Part(konfig::Value(std::move(axes))) {}
  // An Error for what no path can hold: lists, maps, bytes, ...
  explicit Part(konfig::Value value);

  static Part star() { return Part(Wildcard::one); }
  static Part star_star() { return Part(Wildcard::any); }

  Wildcard wildcard() const { return wildcard_; }
  bool is_wildcard() const { return wildcard_ != Wildcard::none; }
  const konfig::Value& value() const { return value_; }  // of a wildcard: its text
  // The text, or nullptr. Wildcards have none.
  const std::string* text() const { return is_wildcard() ? nullptr : value_.get_if<std::string>(); }
  // A position in a list: a whole number, or True or False.
  std::optional<std::int64_t> index() const {
    if (auto* i = value_.get_if<std::int64_t>()) return *i;
    if (auto* b = value_.get_if<bool>()) return *b ? 1 : 0;
    return std::nullopt;
  }

  std::string str() const;   // as the first part of a path: "image", "[0]", "['x y']", "*"
  std::string name() const;  // without quotes and brackets: "image", "0", "x y"

  // The wildcard `*` equals the text '*', as in the reference.
  friend bool operator==(const Part& a, const Part& b) { return a.value_ == b.value_; }
  std::size_t hash() const;

 private:
  explicit Part(Wildcard wildcard)
      : value_(wildcard == Wildcard::one ? "*" : "**"), wildcard_(wildcard) {}
  konfig::Value value_;
  Wildcard wildcard_ = Wildcard::none;
};

// The position in a sequence of `size` that an index counts to, from the end when negative.
inline std::optional<std::size_t> position(std::int64_t index, std::size_t size) {
  auto n = static_cast<std::int64_t>(size);
  if (index < 0) index += n;
  return index >= 0 && index < n ? std::optional(static_cast<std::size_t>(index)) : std::nullopt;
}

// The positions that a slice of a sequence of `size` selects: start, start + step, ... (count).
struct Range {
  std::int64_t start = 0, step = 1;
  std::size_t count = 0;
};
Range range_of(const Slice& slice, std::size_t size);

}  // namespace kontext

template <>
struct std::hash<kontext::Part> {
  std::size_t operator()(const kontext::Part& part) const { return part.hash(); }
};
