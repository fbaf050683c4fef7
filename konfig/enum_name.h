// The name of an enumerator, as configs write it.
//
//   enum class Fruit { apple, pear };
//   std::string_view name = konfig::enum_name(Fruit::pear);  // "pear"
#pragma once

#include <optional>
#include <string_view>
#include <type_traits>

#include "konfig/names.h"

namespace konfig {

// "" when the value has no name.
template <class E>
requires std::is_enum_v<E> std::string_view enum_name(E value) {
  static const auto known = enumerators<E>();
  for (const Enumerator& e : known) {
    if (static_cast<E>(e.value) == value) return e.name;
  }
  return "";
}

// The enumerator of this name; none when there is none.
template <class E>
requires std::is_enum_v<E> std::optional<E> enum_named(std::string_view name) {
  static const auto known = enumerators<E>();
  for (const Enumerator& e : known) {
    if (e.name == name) return static_cast<E>(e.value);
  }
  return std::nullopt;
}

}  // namespace konfig
