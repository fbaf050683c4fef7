// Compile-time questions about field types.
#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "konfig/map.h"
#include "konfig/type.h"

namespace konfig::detail {

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <class T>
inline constexpr bool is_array = false;
template <class T, std::size_t N>
inline constexpr bool is_array<std::array<T, N>> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_tuple = false;
template <class... T>
inline constexpr bool is_tuple<std::tuple<T...>> = true;
template <class A, class B>
inline constexpr bool is_tuple<std::pair<A, B>> = true;
template <class T>
inline constexpr bool is_duration = false;
template <class R, class P>
inline constexpr bool is_duration<std::chrono::duration<R, P>> = true;

template <class T>
inline constexpr bool is_map = false;
template <class T>
inline constexpr bool is_map<Map<T>> = true;
template <class T>
inline constexpr bool is_map<std::map<std::string, T>> = true;

// The std::variant that T is or derives from.
template <class... A>
const std::variant<A...>* variant_base(const std::variant<A...>*);
template <class T>
concept VariantLike = requires(const T* t) {
  variant_base(t);
};

// Text in a config, such as a path or a key.
template <class T>
concept TextLike = requires(const T& t, std::string s) {
  { t.str() } -> std::convertible_to<std::string>;
  T(s);
};

template <class T>
concept HasKind = requires {
  T::konfig_kind;
};
template <class T, Kind K>
inline constexpr int kind_is = [] {
  if constexpr (HasKind<T>) return T::konfig_kind == K ? 1 : 0;
  return 0;
}();
template <class... Fields>
inline constexpr bool is_first_args = false;
template <class First, class... Rest>
inline constexpr bool is_first_args<First, Rest...> = kind_is<First, Kind::args> == 1;

// What error texts call it: `static constexpr std::string_view konfig_name = "a schedule"`.
template <class T>
constexpr std::string_view spoken_name() {
  if constexpr (requires { T::konfig_name; }) {
    return T::konfig_name;
  } else {
    return {};
  }
}

// ---- What a reference to a field reads as, and where it may be bound.

template <class T>
struct Unwrap {
  using type = T;
};
template <class T>
struct Unwrap<std::optional<T>> {
  using type = T;
};
template <class T>
requires requires { typename T::konfig_element; }
struct Unwrap<T> {
  using type = typename T::konfig_element;
};
// Required<int>, Inherit<int, ...> and std::optional<int> all read as int.
template <class T>
using RefValue = typename Unwrap<T>::type;

}  // namespace konfig::detail
