// Calls a function with what the Key fields of an object lead to, in order of declaration.
//
//   struct L2 {
//     Key preds = Key::required();
//     Key targets = Key::required();
//     std::optional<Key> mask = {};
//     Tensor loss(const Tensor& preds, const Tensor& targets, std::optional<Tensor> mask) const;
//   };
//   Tensor values = call_with_keys(context, loss, &L2::loss);
//
// A wrong number of parameters, and an optional key for a parameter that is not optional, do not
// compile. A parameter is a value, a const reference, std::optional, or const Resolved& (a key that
// is a vector or map of keys).
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "konfig/names.h"
#include "kontext/keys.h"

namespace kontext {
namespace detail {

template <class F>
struct Function : Function<decltype(&F::operator())> {};
template <class R, class... A>
struct Function<R (*)(A...)> {
  using Parameters = std::tuple<A...>;
};
template <class R, class C, class... A>
struct Function<R (C::*)(A...) const> : Function<R (*)(A...)> {};
template <class R, class C, class... A>
struct Function<R (C::*)(A...)> : Function<R (*)(A...)> {};

// Whether the field holds keys, and whether it may hold none.
template <class F>
inline constexpr bool is_key_field = false;
template <>
inline constexpr bool is_key_field<Key> = true;
template <class F>
requires requires { typename F::mapped_type; }
inline constexpr bool is_key_field<F> = is_key_field<typename F::mapped_type>;
template <class F>
requires(
    requires { typename F::value_type; } &&
    !requires {
      typename F::mapped_type;
    }) inline constexpr bool is_key_field<F> = is_key_field<typename F::value_type>;
template <class F>
requires requires { typename F::konfig_element; }
inline constexpr bool is_key_field<F> = is_key_field<typename F::konfig_element>;
template <class... F>
inline constexpr bool is_key_field<std::tuple<F...>> = (is_key_field<F> || ...);
template <class F>
inline constexpr bool is_optional_key = konfig::detail::is_optional<F>;

// The key fields of a struct: their number, and places in the list of fields.
template <class... F>
constexpr std::size_t count_keys(const konfig::detail::Places<F...>&) {
  return (std::size_t{0} + ... + (is_key_field<F> ? 1 : 0));
}
template <class... F>
constexpr auto key_places(const konfig::detail::Places<F...>& places) {
  std::array<std::pair<std::size_t, bool>, count_keys(konfig::detail::Places<F...>{})> out{};
  std::size_t i = 0, n = 0;
  ((is_key_field<F> ? void(out[n++] = {i++, is_optional_key<F>}) : void(++i)), ...);
  (void)places;
  return out;
}
template <class T>
using PlacesOf =
    decltype(konfig::visit_fields(std::declval<const T&>(), konfig::detail::CollectPlaces{}));

// What is passed for a parameter of type A.
template <class A>
A argument(const Resolved* key) {
  using V = std::remove_cvref_t<A>;
  if constexpr (std::is_same_v<V, Resolved>) {
    return *key;
  } else if constexpr (konfig::detail::is_optional<V>) {
    return key ? V(key->found.to<typename V::value_type>()) : V();
  } else if constexpr (std::is_reference_v<A>) {
    return key->as<V>();
  } else {
    return key->found.to<V>();
  }
}

template <class A, bool OptionalKey>
constexpr void check_parameter() {
  static_assert(!OptionalKey || konfig::detail::is_optional<std::remove_cvref_t<A>>,
                "kontext: an optional key needs a std::optional parameter");
  static_assert(!std::is_lvalue_reference_v<A> || std::is_const_v<std::remove_reference_t<A>>,
                "kontext: a parameter is a value or a const reference");
}

}  // namespace detail

template <class T, class F>
decltype(auto) call_with_keys(const TreeRef& context, const T& object, F&& f) {
  using Parameters = typename detail::Function<std::decay_t<F>>::Parameters;
  static constexpr auto places = detail::key_places(detail::PlacesOf<T>{});
  static_assert(!detail::HasKeysHook<T>, "kontext: keys named at run time cannot be bound here");
  static_assert(
      std::tuple_size_v<Parameters> == places.size(),
      "kontext: the function takes another number of parameters than there are key fields");
  static const auto names = konfig::field_names<T>();
  return [&]<std::size_t... I>(std::index_sequence<I...>)->decltype(auto) {
    (detail::check_parameter<std::tuple_element_t<I, Parameters>, places[I].second>(), ...);
    ResolvedKeys keys = resolve_from_keyed_obj(context, object);
    auto get = [&](std::size_t i) { return keys.find(names[places[i].first]); };
    if constexpr (std::is_member_function_pointer_v<std::decay_t<F>>) {
      return std::invoke(f, object,
                         detail::argument<std::tuple_element_t<I, Parameters>>(get(I))...);
    } else {
      return std::invoke(f, detail::argument<std::tuple_element_t<I, Parameters>>(get(I))...);
    }
  }
  (std::make_index_sequence<std::tuple_size_v<Parameters>>{});
}

}  // namespace kontext
