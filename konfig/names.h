// Names of types, fields and enumerators, read from what the compiler prints in
// __PRETTY_FUNCTION__. Templates only carry the text here; it is taken apart in names.cc.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "konfig/reflect.h"

namespace konfig {

namespace detail {
template <class T>
consteval std::string_view pretty_type() {
  return __PRETTY_FUNCTION__;
}
}  // namespace detail

// "kd::losses::L2"
template <class T>
inline constexpr std::string_view type_name = [] {
  constexpr auto text = detail::pretty_type<T>();
  constexpr auto begin = text.find("T = ") + 4;
  constexpr auto end = std::min(text.rfind("; std::string_view"), text.rfind(']'));
  return text.substr(begin, end - begin);
}();

namespace detail {

// Never defined: only addresses of its members are formed, at compile time.
template <class T>
struct Fake {
  const T value;
  static const Fake object;
};

// Clang 14 takes a pointer to a member as a template argument only inside a class.
struct Wrap {
  const void* ptr;
};
template <Wrap... P>
consteval std::string_view pretty_pointers() {
  return __PRETTY_FUNCTION__;
}

// Where the fields are and, as a type, what they are.
template <class... F>
struct Places {
  std::array<const void*, sizeof...(F)> at;
  static constexpr std::size_t size = sizeof...(F);
};
struct CollectPlaces {
  template <class... F>
  constexpr auto operator()(F&... field) const {
    return Places<std::remove_const_t<F>...>{{&field...}};
  }
};

template <class T, std::size_t... I>
consteval std::string_view pretty_fields(std::index_sequence<I...>) {
  if constexpr (HasFieldList<T>) {
    return T::konfig_fields;
  } else {
    constexpr auto places = visit_fields(Fake<T>::object.value, CollectPlaces{});
    return pretty_pointers<Wrap{places.at[I]}...>();
  }
}

template <class E, E... V>
consteval std::string_view pretty_enumerators() {
  return __PRETTY_FUNCTION__;
}

std::vector<std::string_view> parse_field_names(std::string_view pretty, bool listed);

}  // namespace detail

template <Record T>
std::vector<std::string_view> field_names() {
  return detail::parse_field_names(
      detail::pretty_fields<T>(std::make_index_sequence<detail::field_count<T>>{}),
      HasFieldList<T>);
}

struct Enumerator {
  std::int64_t value;
  std::string_view name;
};

namespace detail {
std::vector<Enumerator> parse_enumerators(std::string_view pretty);
}

// Enumerators with values 0 to 63, in order of value.
template <class E>
requires std::is_enum_v<E> std::vector<Enumerator> enumerators() {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return detail::parse_enumerators(detail::pretty_enumerators<E, static_cast<E>(I)...>());
  }
  (std::make_index_sequence<64>{});
}

}  // namespace konfig
