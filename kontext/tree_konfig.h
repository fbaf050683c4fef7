// The values of konfig as trees: Value, Dict, List, Tuple, ConfigDict, Poly, numbers and text.
// Included by kontext/tree.h.
#pragma once

#include <concepts>
#include <string>

#include "konfig/load.h"
#include "konfig/make_type.h"
#include "konfig/to_value.h"
#include "konfig/value.h"
#include "kontext/tree_inline.h"

namespace kontext {

namespace detail {

TreeRef value_ref(const konfig::Value& value, const konfig::ConfigDict* root = nullptr);
TreeRef config_ref(const konfig::ConfigDict& config);
extern const TreeOps kDictOps, kListOps, kTupleOps, kConfigOps;

// An object known by its run-time table only.
TreeRef type_ref(const konfig::Type& type, const void* object);

// Containers inside a Value; anything else is a leaf of the value it holds.
template <class T>
concept ValueLeaf =
    konfig::detail::is_alternative<T, konfig::Value::Variant> && !std::is_arithmetic_v<T> &&
    !std::same_as<T, std::string> && !std::same_as<T, konfig::None> &&
    !std::same_as<T, konfig::Reference>;

// Numbers, text, enumerators and durations, which konfig can read and write.
template <class T>
concept Scalar = std::is_arithmetic_v<T> || std::is_enum_v<T> || std::same_as<T, std::string> ||
                 (konfig::detail::TextLike<T> && !konfig::HasFieldList<T>) ||
                 konfig::detail::is_duration<T>;

TreeRef text_item(const std::string& text, const Part& part);

}  // namespace detail

template <>
struct TreeTraits<konfig::Value> {
  static TreeRef ref(const konfig::Value& value) { return detail::value_ref(value); }
  static void assign(konfig::Value& to, const TreeRef& from) { to = from.value(); }
};
template <>
struct TreeTraits<konfig::ConfigDict> {
  static TreeRef ref(const konfig::ConfigDict& config) { return detail::config_ref(config); }
};
template <>
struct TreeTraits<konfig::Dict> {
  static TreeRef ref(const konfig::Dict& dict) { return TreeRef(&dict, &detail::kDictOps); }
};
template <>
struct TreeTraits<konfig::List> {
  static TreeRef ref(const konfig::List& list) { return TreeRef(&list, &detail::kListOps); }
};
template <>
struct TreeTraits<konfig::Tuple> {
  static TreeRef ref(const konfig::Tuple& tuple) { return TreeRef(&tuple, &detail::kTupleOps); }
};
template <>
struct TreeTraits<konfig::None> {
  static TreeRef ref(const konfig::None&) { return TreeRef::none(); }
};
template <>
struct TreeTraits<konfig::Object> {
  static TreeRef ref(const konfig::Object& object) {
    if (!object.ptr || !object.type) return TreeRef::none();
    return detail::type_ref(*object.type, object.ptr.get()).read_only();
  }
};
template <detail::ValueLeaf T>
struct TreeTraits<T> {
  static konfig::Value value(const T& leaf) { return leaf; }
};

template <std::derived_from<konfig::PolyBase> P>
struct TreeTraits<P> {
  static TreeRef ref(const P& poly) {
    return poly ? detail::type_ref(*poly.type(), poly.object().get()) : TreeRef::none();
  }
};

template <detail::Scalar T>
struct TreeTraits<T> {
  static constexpr std::string_view spoken = std::same_as<T, bool>          ? "bool"
                                             : std::is_integral_v<T>        ? "int"
                                             : std::is_floating_point_v<T>  ? "float"
                                             : std::same_as<T, std::string> ? "str"
                                                                            : "";
  static konfig::Value value(const T& t) {
    if constexpr (std::is_arithmetic_v<T> || std::same_as<T, std::string>) {
      return t;
    } else {
      return konfig::to_value(konfig::type_of<T>(), &t);
    }
  }
  static TreeRef item(const T& t, const Part& part) requires std::same_as<T, std::string> {
    return detail::text_item(t, part);
  }
  static void assign(T& to, const TreeRef& from) {
    konfig::load(konfig::type_of<T>(), &to, from.value());
  }
};

}  // namespace kontext
