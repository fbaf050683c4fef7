// Which C++ types look like maps, lists, pointers, ...: for the headers that kontext/tree.h
// includes.
#pragma once

#include <concepts>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>

#include "konfig/type_traits.h"
#include "kontext/tree_konfig.h"

namespace kontext::detail {

template <class T>
concept MapLike = requires(const T& t, typename T::key_type key) {
  typename T::mapped_type;
  t.find(key);
};
template <class T>
concept ListLike = !MapLike<T> && !Scalar<T> && !ValueLeaf<T> &&
                   !std::is_convertible_v<T, std::string_view> && requires(const T& t) {
  typename T::value_type;
  t[0];
  t.size();
  t.begin();
};
template <class T>
concept Resizable = requires(T& t) {
  t.resize(1);
};
template <class T>
concept TupleLike = konfig::detail::is_tuple<T>;
using konfig::detail::VariantLike;
// Holds the value itself: its constness is that of the holder, not of the pointee.
template <class P>
concept IsOwnValue = requires(const P& p) {
  p.has_value();
  p.operator->();
};
template <class P>
concept SmartPointer = std::is_class_v<P> && requires(const P& p) {
  p.get();
  p.operator->();
};
template <class P>
concept PlainPointer = std::is_pointer_v<P> && std::is_object_v<std::remove_pointer_t<P>>;
// std::optional, smart and plain pointers, konfig's Required and Inherit.
template <class P>
concept PointerLike = IsOwnValue<P> || SmartPointer<P> || PlainPointer<P>;

template <class T>
concept PlainRecord =
    konfig::Record<T> && !MapLike<T> && !ListLike<T> && !TupleLike<T> && !VariantLike<T> &&
    !PointerLike<T> && !Scalar<T> && !ValueLeaf<T> && !std::derived_from<T, konfig::PolyBase>;

template <class P>
bool points(const P& pointer) {
  if constexpr (IsOwnValue<P>) {
    return pointer.has_value();
  } else {
    return pointer != nullptr;
  }
}

template <class P, class V>
void emplace(P& pointer, V value) {
  if constexpr (IsOwnValue<P>) {
    pointer = std::move(value);
  } else if constexpr (requires { pointer = std::make_unique<V>(std::move(value)); }) {
    pointer = std::make_unique<V>(std::move(value));
  } else {
    pointer = std::make_shared<V>(std::move(value));
  }
}

template <class... A>
std::variant<A...>& base(std::variant<A...>& variant) {
  return variant;
}
template <class... A>
const std::variant<A...>& base(const std::variant<A...>& variant) {
  return variant;
}

template <class... A>
bool assign_same(std::variant<A...>& variant, const TreeRef& from) {
  return ((from.get_if<A>() && (variant = *from.get_if<A>(), true)) || ...);
}
template <class A, class Variant>
bool try_assign(Variant& variant, const TreeRef& from) {
  try {
    variant = from.to<A>();
    return true;
  } catch (const konfig::Error&) {
    return false;
  }
}
template <class... A>
bool assign_first(std::variant<A...>& variant, const TreeRef& from) {
  return (try_assign<A>(variant, from) || ...);
}

[[noreturn]] void fail_no_field(const TreeRef& record, const Part& part);
[[noreturn]] void fail_no_index(const TreeRef& list, const Part& part);
[[noreturn]] void fail_key_type(const Part& part, std::string_view wanted);
void expect_shape(const TreeRef& from, std::initializer_list<Shape> shapes,
                  std::string_view wanted);
void expect_size(const TreeRef& from, std::size_t size);

// The part as a key of a map, if it can be one. Text is not copied.
template <class K, class F>
void with_key(const Part& part, F&& use) {
  if constexpr (std::same_as<K, std::string>) {
    if (auto* text = part.text()) use(*text);
  } else if constexpr (std::is_integral_v<K>) {
    auto i = part.index();
    if (i && static_cast<std::int64_t>(static_cast<K>(*i)) == *i) use(static_cast<K>(*i));
  } else {
    static_assert(std::is_floating_point_v<K>, "kontext: the keys of a map are text or numbers");
    if (auto* d = part.value().get_if<double>()) use(static_cast<K>(*d));
  }
}

template <class M>
const typename M::mapped_type* find_in_map(const M& map, const Part& part) {
  const typename M::mapped_type* out = nullptr;
  with_key<typename M::key_type>(part, [&](const auto& key) {
    if constexpr (requires { map.find(key)->second; }) {
      auto it = map.find(key);
      if (it != map.end()) out = &it->second;
    } else {
      out = map.find(key);  // konfig::Map
    }
  });
  return out;
}

template <class K>
K key_for(const Part& part) {
  std::optional<K> out;
  with_key<K>(part, [&](const auto& key) { out = key; });
  if (!out) fail_key_type(part, std::same_as<K, std::string> ? "text" : "a number");
  return *out;
}

}  // namespace kontext::detail
