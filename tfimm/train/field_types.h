// Which types a config class may have as fields, checked at compile time: int, float, bool, text,
// tuples of these, another such struct, and Any. Required<> and std::optional<> may be around them.
#pragma once

#include <concepts>
#include <string>
#include <tuple>
#include <type_traits>

#include "konfig/names.h"
#include "konfig/reflect.h"
#include "konfig/type_traits.h"
#include "konfig/value.h"

namespace tfimm::train {

class Any;

namespace detail {

template <class T>
inline constexpr bool is_bare = std::is_arithmetic_v<T> || std::same_as<T, std::string>;
// Wide and raw characters are numbers to C++, and neither numbers nor text to a reader.
template <>
inline constexpr bool is_bare<char> = false;
template <>
inline constexpr bool is_bare<wchar_t> = false;
template <>
inline constexpr bool is_bare<long double> = false;

template <class T>
consteval bool is_item();

template <class... T>
consteval bool are_items(const std::tuple<T...>*) {
  return (... && is_item<T>());
}
template <class A, class B>
consteval bool are_items(const std::pair<A, B>*) {
  return is_item<A>() && is_item<B>();
}

// What Python calls a tuple.
template <class T>
consteval bool is_tuple() {
  if constexpr (konfig::detail::is_vector<T> || konfig::detail::is_array<T>) {
    return is_item<typename T::value_type>();
  } else if constexpr (konfig::detail::is_tuple<T>) {
    return are_items(static_cast<const T*>(nullptr));
  } else {
    return false;
  }
}

// An element of a tuple; a Value stands for any literal.
template <class T>
consteval bool is_item() {
  return is_bare<T> || std::same_as<T, konfig::Value> || is_tuple<T>();
}

template <class T>
consteval bool is_config();

template <class T>
consteval bool is_field() {
  if constexpr (konfig::detail::is_optional<T>) {
    return is_bare<typename T::value_type> || is_tuple<typename T::value_type>();
  } else if constexpr (std::same_as<T, Any> || is_bare<T> || is_tuple<T>()) {
    return true;
  } else if constexpr (konfig::detail::kind_is<T, konfig::Kind::required> == 1) {
    return is_field<typename T::konfig_element>();
  } else {
    return is_config<T>();
  }
}

template <class... F>
consteval bool are_fields(const konfig::detail::Places<F...>*) {
  return (... && is_field<F>());
}

template <class T>
consteval bool is_config() {
  if constexpr (konfig::Record<T> && std::is_default_constructible_v<T>) {
    using Places =
        decltype(konfig::visit_fields(std::declval<const T&>(), konfig::detail::CollectPlaces{}));
    return are_fields(static_cast<const Places*>(nullptr));
  } else {
    return false;
  }
}

}  // namespace detail

template <class T>
consteval bool check_config();

namespace detail {

// Compilers print the arguments of the template at hand, and so the struct and the field. The
// loader finds both there by the template's name.
template <class Struct, konfig::detail::Wrap Field, class T>
consteval void check_field() {
  if constexpr (konfig::Record<T> && !is_field<T>()) {
    check_config<T>();
  } else {
    constexpr bool fits = is_field<T>();
    static_assert(fits,
                  "tfimm: a field of a config class is an int, float, bool, text, tuple, another "
                  "config class, or Any beside its x_class");
  }
}

template <class T, class... F, std::size_t... I>
consteval void check_fields(const konfig::detail::Places<F...>*, std::index_sequence<I...>) {
  constexpr auto places =
      konfig::visit_fields(konfig::detail::Fake<T>::object.value, konfig::detail::CollectPlaces{});
  (..., check_field<T, konfig::detail::Wrap{places.at[I]}, F>());
}

}  // namespace detail

// Stops the compiler, with a line that says why, unless T is a config class.
template <class T>
consteval bool check_config() {
  static_assert(konfig::Record<T>,
                "tfimm: a config class is a plain struct, with no constructors and no private or "
                "virtual members");
  if constexpr (konfig::Record<T> && !detail::is_config<T>()) {
    using Places =
        decltype(konfig::visit_fields(std::declval<const T&>(), konfig::detail::CollectPlaces{}));
    detail::check_fields<T>(static_cast<const Places*>(nullptr),
                            std::make_index_sequence<Places::size>{});
  }
  return detail::is_config<T>();
}

}  // namespace tfimm::train
