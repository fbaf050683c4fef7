// Pointers, optionals and variants as trees: they are read through and add nothing to a path.
// Included by kontext/tree.h.
#pragma once

#include <type_traits>
#include <utility>
#include <variant>

#include "kontext/tree_kinds.h"

namespace kontext {

template <detail::PointerLike P>
struct TreeTraits<P> {
  using V = std::remove_cvref_t<decltype(*std::declval<P&>())>;
  static TreeRef ref(const P& pointer) {
    if (!detail::points(pointer)) return TreeRef::none();
    TreeRef out = TreeRef::of<V>(*pointer);
    // A shared_ptr<const T> does not let anyone write.
    using Pointee = std::remove_reference_t<decltype(*std::declval<P&>())>;
    return std::is_const_v<Pointee> && !detail::IsOwnValue<P> ? std::move(out).read_only() : out;
  }
  static void assign(P& to, const TreeRef& from) {
    if constexpr (!std::is_pointer_v<P>) {
      if (from.shape() == Shape::none) {
        to = P();
      } else {
        detail::emplace(to, from.to<V>());
      }
    } else {
      detail::fail_assign(konfig::type_name<P>, from);
    }
  }
};

template <detail::VariantLike T>
struct TreeTraits<T> {
  static TreeRef ref(const T& variant) {
    return std::visit([](auto& active) { return TreeRef::of(active); }, detail::base(variant));
  }
  // The alternative of the same type, else the first that takes the value.
  static void assign(T& to, const TreeRef& from) {
    auto& variant = detail::base(to);
    if (detail::assign_same(variant, from) || detail::assign_first(variant, from)) return;
    detail::fail_assign(konfig::type_name<T>, from);
  }
};

template <>
struct TreeTraits<std::monostate> {
  static TreeRef ref(const std::monostate&) { return TreeRef::none(); }
  static void assign(std::monostate&, const TreeRef& from) {
    if (from.shape() != Shape::none) detail::fail_assign("None", from);
  }
};

}  // namespace kontext
