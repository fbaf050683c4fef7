// A text that is a number and nothing else.
//
//   std::optional<int> step = base::number_in<int>("12");  // none for "", "12x", " 12" and "+12"
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace base {

// None also for a number that T cannot hold.
template <class T>
std::optional<T> number_in(std::string_view text) {
  T out = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, out);
  if (error != std::errc() || stop != end) return std::nullopt;
  return out;
}

}  // namespace base
