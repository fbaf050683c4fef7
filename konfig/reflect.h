// Reflection of plain structs: how many fields, their names, types and places, without a macro.
//
//   struct Adam { double learning_rate = 1e-3; double b1 = 0.9; };
//   field_names<Adam>();                                    // {"learning_rate", "b1"}
//   visit_fields(adam, [](auto&... field) { (use(field), ...); });
//
// A struct may have empty base classes (`struct Mlp : nn::Module<Mlp> {...}`); they count for
// nothing. A class that is no aggregate lists its fields with KONFIG_FIELDS(a, b).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "konfig/reflect_bind.h"

#ifdef __clang__
// Fake<T>::object is named at compile time only and never defined.
#pragma clang diagnostic ignored "-Wundefined-var-template"
#pragma clang diagnostic ignored "-Wundefined-internal"
#endif

namespace konfig {

inline constexpr std::size_t kMaxFields = 64;

// Lists the fields of a class with virtual functions, constructors or private members.
#define KONFIG_FIELDS(...)                                         \
  template <class KonfigVisitor>                                   \
  constexpr decltype(auto) konfig_visit(KonfigVisitor&& f) {       \
    return f(__VA_ARGS__);                                         \
  }                                                                \
  template <class KonfigVisitor>                                   \
  constexpr decltype(auto) konfig_visit(KonfigVisitor&& f) const { \
    return f(__VA_ARGS__);                                         \
  }                                                                \
  static constexpr std::string_view konfig_fields = #__VA_ARGS__

template <class T>
concept HasFieldList = requires {
  T::konfig_fields;
};

// A struct that konfig reflects. Containers and text are values, not records; neither are the
// stand-ins for any value that fields are counted with.
template <class T>
concept Record = HasFieldList<T> ||(
    std::is_class_v<T>&& std::is_aggregate_v<T> && !requires { typename T::value_type; } &&
    !requires { typename T::konfig_filler; });

namespace detail {

// Converts to whatever a field wants. The operator is const, so that a constructor template of the
// field (as in std::optional) is the better match rather than an ambiguous one.
struct AnyField {
  using konfig_filler = void;
  template <class T>
  operator T() const noexcept {
    __builtin_unreachable();  // only named in unevaluated code
  }
};
template <class T, bool Empty>
struct AnyBase {
  using konfig_filler = void;
  template <class B>
  requires(std::is_base_of_v<B, T> && !std::is_same_v<B, T> && std::is_empty_v<B> == Empty)
  operator B() const noexcept;
};

template <class T, std::size_t>
using Repeat = T;

template <class T, class Filler, std::size_t... I>
consteval bool accepts(std::index_sequence<I...>) {
  return requires { T{Repeat<Filler, I>{}...}; };
}

// The largest n in [Lo, Hi) for which T{n fillers} compiles. Every field has a default, so the
// property is monotone and bisection works; a failing check is cheap for the compiler.
template <class T, class Filler, std::size_t Lo, std::size_t Hi>
consteval std::size_t most_accepted() {
  constexpr auto mid = Lo + (Hi - Lo) / 2;
  if constexpr (Hi - Lo == 1) {
    return Lo;
  } else if constexpr (accepts<T, Filler>(std::make_index_sequence<mid>{})) {
    return most_accepted<T, Filler, mid, Hi>();
  } else {
    return most_accepted<T, Filler, Lo, mid>();
  }
}

template <class T>
consteval std::size_t count_fields() {
  if constexpr (HasFieldList<T>) {
    return T::konfig_fields.empty()
               ? 0
               : static_cast<std::size_t>(std::ranges::count(T::konfig_fields, ',')) + 1;
  } else if constexpr (!std::is_default_constructible_v<T>) {
    static_assert(std::is_default_constructible_v<T>,
                  "konfig: every field needs a default (Inherit fields: `= konfig::inherit`)");
    return 0;
  } else if constexpr (accepts<T, AnyBase<T, false>>(std::make_index_sequence<1>{})) {
    static_assert(!sizeof(T*),
                  "konfig: a config struct has only empty base classes; otherwise "
                  "list its fields with KONFIG_FIELDS");
    return 0;
  } else {
    // Four empty bases at most; no field is smaller than one byte.
    constexpr auto bases = most_accepted<T, AnyBase<T, true>, 0, 5>();
    constexpr auto room = std::min(kMaxFields + 1, sizeof(T)) + bases;
    constexpr auto all = most_accepted<T, AnyField, bases, room + 1>();
    static_assert(all - bases <= kMaxFields, "konfig: a config struct has at most 64 fields");
    static_assert(
        all > kMaxFields || Bind < all <= kMaxFields ? all : 0 > ::template accepts_empty_braces<T>,
        "konfig: a C array is no config field; use std::array or std::vector");
    return all - bases;
  }
}

template <class T>
inline constexpr std::size_t field_count = count_fields<T>();

}  // namespace detail

// Calls f(field0, field1, ...) on the fields of `t`.
template <class T, class F>
constexpr decltype(auto) visit_fields(T& t, F&& f) {
  using U = std::remove_const_t<T>;
  if constexpr (HasFieldList<U>) {
    return t.konfig_visit(f);
  } else {
    return detail::Bind<detail::field_count<U>>::visit(t, f);
  }
}

}  // namespace konfig
