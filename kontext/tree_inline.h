// TreeRef: the templates. Included by kontext/tree.h.
#pragma once

#include <concepts>
#include <type_traits>

#include "konfig/make_type.h"
#include "kontext/tree_ref.h"

namespace kontext {

namespace detail {

template <class T>
const T& object(const TreeRef& ref) {
  return *static_cast<const T*>(ref.ptr());
}
// Only for a writable TreeRef.
template <class T>
T& object_to_write(const TreeRef& ref) {
  return *const_cast<T*>(static_cast<const T*>(ref.ptr()));
}

template <class T>
constexpr TreeOps make_ops() {
  using Traits = TreeTraits<T>;
  TreeOps ops{.type = konfig::type_name<T>};
  if constexpr (requires { Traits::spoken; }) ops.spoken = Traits::spoken;
  if constexpr (requires { Traits::shape; }) ops.shape = Traits::shape;
  if constexpr (requires(const T& t, const Part& part) { Traits::item(t, part); }) {
    ops.item = [](const TreeRef& self, const Part& part) -> TreeRef {
      return Traits::item(object<T>(self), part);
    };
  }
  if constexpr (requires(const T& t, const std::string& name) { Traits::attribute(t, name); }) {
    ops.attribute = [](const TreeRef& self, const std::string& name) -> TreeRef {
      return Traits::attribute(object<T>(self), name);
    };
  }
  if constexpr (requires(const T& t, const Visit& visit) { Traits::each(t, visit); }) {
    ops.each = [](const TreeRef& self, const Visit& visit) -> bool {
      return Traits::each(object<T>(self), visit);
    };
  }
  if constexpr (requires(const T& t) { Traits::value(t); }) {
    ops.value = [](const TreeRef& self) -> konfig::Value { return Traits::value(object<T>(self)); };
  }
  if constexpr (requires(T & t, const Part& part, const TreeRef& v) { Traits::set(t, part, v); }) {
    ops.set = [](const TreeRef& self, const Part& part, const TreeRef& value) {
      Traits::set(object_to_write<T>(self), part, value);
    };
  }
  return ops;
}

template <class T>
inline constexpr TreeOps ops_of = make_ops<T>();

// Types that are read through, such as std::optional, say themselves what is behind them.
template <class T>
concept ReadThrough = requires(const T& t) {
  TreeTraits<T>::ref(t);
};

template <class T>
concept TextLiteral = std::is_convertible_v<T, const char*>;

[[noreturn]] void fail_assign(std::string_view wanted, const TreeRef& from);

}  // namespace detail

template <class T>
TreeRef TreeRef::of(const T& part) {
  if constexpr (detail::ReadThrough<T>) {
    return TreeTraits<T>::ref(part);
  } else {
    return TreeRef(&part, &detail::ops_of<T>);
  }
}

template <class T>
TreeRef TreeRef::own(T value) {
  auto owner = std::make_shared<const T>(std::move(value));
  return of(*owner).with_owner(owner).read_only();
}

template <class T>
requires(!std::is_same_v<std::remove_cvref_t<T>, TreeRef>) TreeRef::TreeRef(T&& tree) {
  using U = std::remove_cvref_t<T>;
  if constexpr (std::is_same_v<U, std::nullptr_t> || std::is_same_v<U, std::nullopt_t>) {
    *this = none();
  } else if constexpr (detail::TextLiteral<T>) {
    *this = own(std::string(tree));
  } else if constexpr (std::is_lvalue_reference_v<T>) {
    *this = of<U>(tree);
    writable_ = writable_ && !std::is_const_v<std::remove_reference_t<T>>;
  } else {
    *this = own(std::forward<T>(tree));
    writable_ = true;  // a handle, such as a ConfigDict, leads to something that lives on
  }
}

template <class T>
T TreeRef::to() const {
  if (auto* same = get_if<T>()) return *same;
  T out{};
  assign(out, *this);
  return out;
}

template <class T>
void assign(T& to, const TreeRef& from) {
  if (auto* same = from.get_if<T>()) {
    T copy(*same);  // `from` may be a part of `to`
    to = std::move(copy);
  } else if constexpr (requires { TreeTraits<T>::assign(to, from); }) {
    TreeTraits<T>::assign(to, from);
  } else {
    detail::fail_assign(konfig::type_name<T>, from);
  }
}

}  // namespace kontext
