// Finds the annotated tensors in the arguments and results of a call, at compile time where they
// may be, at run time the tensors. Used by kd/typing/checked.h.
#pragma once

#include <algorithm>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "kd/typing/annotated.h"
#include "kd/typing/scope.h"
#include "konfig/names.h"

namespace kd::typing::detail {

template <class... T>
struct Types {};

// How to look into a type: `Parts` are the types of what it may hold, `each` visits what it holds.
// The general case is a struct, whose fields may be annotated, or anything else, which is not.
template <class T>
struct Walk {
  using Parts = Types<>;
};

// Whether konfig can list the fields; it would refuse others with a compile error.
template <class T>
consteval bool has_fields() {
  namespace reflect = konfig::detail;
  if constexpr (konfig::HasFieldList<T>) {
    return true;
  } else if constexpr (!std::is_default_constructible_v<T>) {
    return false;
  } else if constexpr (reflect::accepts<T, reflect::AnyBase<T, false>>(
                           std::make_index_sequence<1>{})) {
    return false;
  } else {
    constexpr auto bases = reflect::most_accepted<T, reflect::AnyBase<T, true>, 0, 5>();
    constexpr auto room = std::min(konfig::kMaxFields + 1, sizeof(T)) + bases;
    constexpr auto all = reflect::most_accepted<T, reflect::AnyField, bases, room + 1>();
    return all <= konfig::kMaxFields &&
           reflect::Bind<(all <= konfig::kMaxFields ? all : 0)>::template accepts_empty_braces<T>;
  }
}

template <class T>
concept WalkedRecord = kontext::detail::PlainRecord<T> && has_fields<T>();

template <WalkedRecord T>
struct Walk<T> {
  template <class... F>
  static Types<std::remove_const_t<F>...> types(const konfig::detail::Places<F...>&);
  using Parts = decltype(types(
      konfig::visit_fields(std::declval<const T&>(), konfig::detail::CollectPlaces{})));
  template <class F>
  static void each(const T& record, Where where, F&& f) {
    static const auto names = konfig::field_names<T>();
    konfig::visit_fields(record, [&](const auto&... field) {
      std::size_t i = 0;
      ((where.field = names[i++], f(field, where)), ...);
    });
  }
};

template <class V>
struct Walk<std::optional<V>> {
  using Parts = Types<V>;
  template <class F>
  static void each(const std::optional<V>& value, Where where, F&& f) {
    if (value) f(*value, where);
  }
};

template <class V>
struct Walk<std::vector<V>> {
  using Parts = Types<V>;
  template <class F>
  static void each(const std::vector<V>& values, Where where, F&& f) {
    for (const V& value : values) ++where.item, f(value, where);
  }
};

template <class... V>
struct Walk<std::tuple<V...>> {
  using Parts = Types<V...>;
  template <class F>
  static void each(const std::tuple<V...>& values, Where where, F&& f) {
    std::apply([&](const V&... value) { ((++where.item, f(value, where)), ...); }, values);
  }
};

template <class A, class B>
struct Walk<std::pair<A, B>> {
  using Parts = Types<A, B>;
  template <class F>
  static void each(const std::pair<A, B>& values, Where where, F&& f) {
    ++where.item, f(values.first, where);
    ++where.item, f(values.second, where);
  }
};

template <class Leaf>
struct Walk<TreeOf<Leaf>> {
  using Parts = Types<Leaf>;
};

template <class T>
inline constexpr bool is_tensor = false;
template <Elements E, konfig::FixedText S>
inline constexpr bool is_tensor<Annotated<E, S>> = true;
template <class... A>
inline constexpr bool is_tensor<OneOf<A...>> = true;

// The specs of all annotated tensors in a type. Structs within structs are not looked into: a type
// may contain itself.
template <class T, bool Records>
constexpr auto specs_of();
template <bool Records, class... T>
constexpr auto specs_in(Types<T...>) {
  return std::tuple_cat(specs_of<std::remove_cvref_t<T>, Records>()...);
}
template <class T, bool Records>
constexpr auto specs_of() {
  if constexpr (is_tensor<T>) {
    return std::apply([](auto... form) { return std::tuple(form.spec...); }, T::forms);
  } else if constexpr (!WalkedRecord<T>) {
    return specs_in<Records>(typename Walk<T>::Parts{});
  } else if constexpr (Records) {
    return specs_in<false>(typename Walk<T>::Parts{});
  } else {
    return std::tuple<>();
  }
}

template <class T, bool Records = true>
inline constexpr bool is_annotated =
    std::tuple_size_v<decltype(specs_of<std::remove_cvref_t<T>, Records>())> > 0;

template <class Leaf>
void add_leaves(Scope& scope, const Tree& tree, Where& where) {
  if (tree.is_tensor()) {
    ++where.item;
    scope.add(Leaf::forms, tree.tensor(), where);
  }
  for (const Tree& child : tree.children()) add_leaves<Leaf>(scope, child, where);
}

// Adds the annotated tensors of a value to the scope.
template <bool Records = true, class T>
void add(Scope& scope, const T& value, Where where) {
  if constexpr (is_tensor<T>) {
    scope.add(T::forms, value, where);
  } else if constexpr (requires { typename T::kd_leaf; }) {
    add_leaves<typename T::kd_leaf>(scope, value, where);
  } else if constexpr (is_annotated<T, Records>) {
    Walk<T>::each(value, where, [&](const auto& part, Where at) {
      add<Records && !WalkedRecord<T>>(scope, part, at);
    });
  }
}

}  // namespace kd::typing::detail
