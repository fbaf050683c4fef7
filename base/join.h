// Joined lists: one text of many, with a separator between them.
//
//   base::join(names, ", ")                                           // "a, b, c"
//   base::join(std::vector{2, 3}, " x ")                              // "2 x 3"
//   base::join(fields, ", ", [](auto& field) { return field.name; })  // a text for each item
//   base::join_or(choices)                                            // "a, b or c"
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>

namespace base {

// Appends a text as it is, an integer in decimal.
template <class T>
void append_item(std::string& out, const T& item) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    out += std::string_view(item);
  } else {
    static_assert(std::integral<T>, "base::join: give a function that returns an item's text");
    out += std::to_string(item);
  }
}

// Every item, passed through `text`, with `separator` between two of them. Empty texts count too.
template <class Range, class Text = std::identity>
std::string join(const Range& items, std::string_view separator, const Text& text = {}) {
  std::string out;
  bool first = true;
  for (auto&& item : items) {
    if (!first) out += separator;
    first = false;
    append_item(out, std::invoke(text, item));
  }
  return out;
}

// As a sentence lists alternatives: "a", "a or b", "a, b or c".
template <class Range, class Text = std::identity>
std::string join_or(const Range& items, const Text& text = {}) {
  const auto count = static_cast<std::size_t>(std::distance(std::begin(items), std::end(items)));
  std::string out;
  std::size_t i = 0;
  for (auto&& item : items) {
    if (i > 0) out += i + 1 == count ? " or " : ", ";
    ++i;
    append_item(out, std::invoke(text, item));
  }
  return out;
}

}  // namespace base
