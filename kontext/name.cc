// Names in paths: Unicode letters and digits.
#include <utf8proc.h>

#include "kontext/name_impl.h"

namespace kontext {
namespace {

enum class Class { letter, digit, other_number, none };

struct Character {
  Class kind;
  std::size_t bytes;
};

Character next(std::string_view text) {
  auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) {
    if ((first | 0x20) >= 'a' && (first | 0x20) <= 'z') return {Class::letter, 1};
    if (first >= '0' && first <= '9') return {Class::digit, 1};
    return {first == '_' ? Class::letter : Class::none, 1};
  }
  utf8proc_int32_t c = -1;
  auto n = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                            static_cast<utf8proc_ssize_t>(text.size()), &c);
  if (n <= 0) return {Class::none, 1};
  auto bytes = static_cast<std::size_t>(n);
  switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_NL:
      return {Class::letter, bytes};
    case UTF8PROC_CATEGORY_ND:
      return {Class::digit, bytes};
    case UTF8PROC_CATEGORY_NO:
      return {Class::other_number, bytes};
    default:
      return {Class::none, bytes};
  }
}

}  // namespace

std::size_t name_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size()) {
    auto [kind, bytes] = next(text.substr(length));
    if (kind == Class::none || (length == 0 && kind == Class::digit)) break;
    length += bytes;
  }
  return length;
}

bool is_plain_name(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    auto [kind, bytes] = next(text.substr(at));
    if (kind != Class::letter && (kind != Class::digit || at == 0)) return false;
    at += bytes;
  }
  return !text.empty();
}

}  // namespace kontext
