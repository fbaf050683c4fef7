// type_of<T>(): fills the run-time table of a type. These are the only templates that grow with the
// number of structs; the work itself is done by ordinary code over the table.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "konfig/callable.h"
#include "konfig/fields.h"
#include "konfig/inherit.h"
#include "konfig/poly.h"
#include "konfig/type_parts.h"
#include "konfig/type_scalars.h"

namespace konfig {
namespace detail {

// Wrappers name their kind; what is inside follows from it.
template <HasKind T>
void set_wrapper(Type& t) {
  t.kind = T::konfig_kind;
  if constexpr (T::konfig_kind == Kind::required) {
    set_optional<T, typename T::konfig_element>(t);
  } else if constexpr (T::konfig_kind == Kind::inherit) {
    set_optional<T, typename T::konfig_element>(t);
    t.root_path = T::root_path;
  } else if constexpr (T::konfig_kind == Kind::args) {
    set_list<T>(t);
  } else if constexpr (T::konfig_kind == Kind::kwargs) {
    set_map<T>(t);
  } else if constexpr (T::konfig_kind == Kind::poly) {
    t.interface = type_name<typename T::Interface>;
    t.spoken_name = spoken_name<typename T::Interface>();
  } else {
    t.interface = T::signature;
  }
}

template <class T>
Type make_type() {
  // Not `T{}`, which would take an Inherit without `= inherit` as given and empty.
  static_assert(!Record<T> || std::is_default_constructible_v<T>,
                "konfig: every field needs a default (Inherit fields: `= konfig::inherit`)");
  Type t{.name = type_name<T>, .spoken_name = {}};
  set_life<T>(t);
  if constexpr (HasKind<T>) {
    set_wrapper<T>(t);
  } else if constexpr (std::same_as<T, bool>) {
    t.kind = Kind::boolean;
  } else if constexpr (std::is_integral_v<T>) {
    t.kind = Kind::integer, t.is_signed = std::is_signed_v<T>;
  } else if constexpr (std::is_floating_point_v<T>) {
    t.kind = Kind::floating;
  } else if constexpr (std::same_as<T, Value>) {
    t.kind = Kind::any;
  } else if constexpr (std::same_as<T, ConfigDict>) {
    t.kind = Kind::dict;
  } else if constexpr (std::same_as<T, std::monostate>) {
    t.kind = Kind::none;
  } else if constexpr (std::same_as<T, std::string> || std::same_as<T, std::filesystem::path> ||
                       TextLike<T>) {
    set_text<T>(t);
  } else if constexpr (std::is_enum_v<T>) {
    set_enum<T>(t);
  } else if constexpr (is_duration<T>) {
    set_duration<T>(t);
  } else if constexpr (std::same_as<T, std::vector<bool>>) {
    t.kind = Kind::bits;
  } else if constexpr (is_vector<T> || is_array<T>) {
    t.kind = is_array<T> ? Kind::array : Kind::list;
    set_list<T>(t);
  } else if constexpr (is_map<T>) {
    t.kind = Kind::map;
    set_map<T>(t);
  } else if constexpr (is_optional<T>) {
    t.kind = Kind::optional;
    set_optional<T, typename T::value_type>(t);
  } else if constexpr (is_tuple<T>) {
    t.kind = Kind::tuple;
    set_tuple<T>(t);
  } else if constexpr (VariantLike<T>) {
    t.kind = Kind::variant, t.spoken_name = spoken_name<T>();
    set_variant<T>(t, static_cast<decltype(variant_base(static_cast<const T*>(nullptr)))>(nullptr));
  } else {
    static_assert(Record<T>,
                  "konfig: not a config type; see docs/konfig.md for the types a field may have");
    t.kind = Kind::record, t.spoken_name = spoken_name<T>();
    if constexpr (Record<T>) set_record<T>(t);
  }
  return t;
}

}  // namespace detail

template <class T>
const Type& type_of() {
  static const Type type = detail::make_type<T>();
  return type;
}

// Filled once, in type.cc.
extern template const Type& type_of<bool>();
extern template const Type& type_of<int>();
extern template const Type& type_of<std::int64_t>();
extern template const Type& type_of<std::uint64_t>();
extern template const Type& type_of<float>();
extern template const Type& type_of<double>();
extern template const Type& type_of<std::string>();
extern template const Type& type_of<std::filesystem::path>();
extern template const Type& type_of<Value>();
extern template const Type& type_of<ConfigDict>();
extern template const Type& type_of<std::optional<bool>>();
extern template const Type& type_of<std::optional<int>>();
extern template const Type& type_of<std::optional<double>>();
extern template const Type& type_of<std::optional<std::string>>();
extern template const Type& type_of<std::vector<int>>();
extern template const Type& type_of<std::vector<double>>();
extern template const Type& type_of<std::vector<std::string>>();

}  // namespace konfig
