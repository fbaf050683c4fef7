// The pieces of konfig/make_type.h: for each kind of type a handful of function pointers.
#pragma once

#include <new>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "konfig/type.h"
#include "konfig/type_traits.h"

namespace konfig::detail {

template <class T>
void set_life(Type& t) {
  t.size = sizeof(T);
  t.align = alignof(T);
  t.construct = [](void* p) { new (p) T{}; };
  t.copy = [](void* to, const void* from) { new (to) T(*static_cast<const T*>(from)); };
  t.move = [](void* to, void* from) { new (to) T(std::move(*static_cast<T*>(from))); };
  t.assign = [](void* to, const void* from) {
    *static_cast<T*>(to) = *static_cast<const T*>(from);
  };
  t.destroy = [](void* p) { static_cast<T*>(p)->~T(); };
}

template <class T>
void set_list(Type& t) {
  t.element = &type_of<typename T::value_type>;
  t.at = [](void* p, std::size_t i) -> void* { return &(*static_cast<T*>(p))[i]; };
  if constexpr (is_array<T>) {
    t.count = [](const void*) { return std::tuple_size_v<T>; };
  } else {
    t.count = [](const void* p) { return static_cast<const T*>(p)->size(); };
    t.resize = [](void* p, std::size_t n) { static_cast<T*>(p)->resize(n); };
  }
}

template <class T>
void set_map(Type& t) {
  t.element = &type_of<typename T::mapped_type>;
  t.insert = [](void* p, const std::string& key) -> void* { return &(*static_cast<T*>(p))[key]; };
  t.clear = [](void* p) { static_cast<T*>(p)->clear(); };
  t.each = [](void* p, Type::Visit visit, void* context) {
    for (auto& [key, value] : *static_cast<T*>(p)) {
      if (visit(context, key, &value)) return true;
    }
    return false;
  };
}

template <class T>
auto& storage_of(void* p) {
  if constexpr (requires(T t) { t.storage(); }) {
    return static_cast<T*>(p)->storage();
  } else {
    return *static_cast<T*>(p);
  }
}
template <class T, class E>
void set_optional(Type& t) {
  t.element = &type_of<E>;
  t.get = [](void* p) -> void* {
    auto& o = storage_of<T>(p);
    return o ? &*o : nullptr;
  };
  t.emplace = [](void* p) -> void* { return &storage_of<T>(p).emplace(); };
  t.reset = [](void* p) { storage_of<T>(p).reset(); };
}

template <class T, class... A>
void set_variant(Type& t, const std::variant<A...>*) {
  using V = std::variant<A...>;
  static constexpr TypeOf alternatives[] = {&type_of<A>...};
  t.alternatives = alternatives;
  t.index = [](const void* p) { return static_cast<const V*>(static_cast<const T*>(p))->index(); };
  t.active = [](void* p) {
    return std::visit([](auto& v) -> void* { return &v; }, *static_cast<V*>(static_cast<T*>(p)));
  };
  t.emplace_index = [](void* p, std::size_t i) -> void* {
    auto& v = *static_cast<V*>(static_cast<T*>(p));
    void* at = nullptr;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (void)((I == i && (at = &v.template emplace<I>())) || ...);
    }
    (std::index_sequence_for<A...>{});
    return at;
  };
}

// Places of the fields of `object`, relative to it.
void set_offsets(std::vector<Field>& fields, const void* object, const void* const* places);

template <class T, class... F>
std::vector<Field> make_fields(const T& object, const Places<F...>& places) {
  static_assert((... && !std::is_array_v<F>),
                "konfig: a C array is no config field; use std::array or std::vector");
  constexpr std::size_t args = (0 + ... + kind_is<F, Kind::args>);
  constexpr bool args_first = args == 0 || is_first_args<F...>;
  static_assert(args <= 1 && args_first,
                "konfig: at most one Args field, and it is the first field of its struct");
  static_assert((0 + ... + kind_is<F, Kind::kwargs>) <= 1, "konfig: at most one Kwargs field");
  std::vector<Field> fields;
  if constexpr (Record<T>) {
    auto names = field_names<T>();
    std::size_t i = 0;
    fields = {Field{names[i++], 0, &type_of<F>}...};
  } else {
    fields = {Field{"", 0, &type_of<F>}...};
  }
  set_offsets(fields, &object, places.at.data());
  return fields;
}

template <class T>
void set_tuple(Type& t) {
  static const T defaults{};
  static const auto fields = make_fields<T>(defaults, std::apply(CollectPlaces{}, defaults));
  t.fields = fields;
}

template <class T>
void set_record(Type& t) {
  static const T defaults{};
  static const auto fields = make_fields<T>(defaults, visit_fields(defaults, CollectPlaces{}));
  t.defaults = &defaults;
  t.fields = fields;
  if constexpr (requires { T::konfig_is_root; }) t.is_root = T::konfig_is_root;
  if constexpr (requires { T::konfig_raw_fields; }) t.raw_fields = T::konfig_raw_fields;
  if constexpr (requires(T object, const ConfigDict& c) { object.konfig_post_resolve(c); }) {
    t.post_resolve = [](void* p, const ConfigDict& cfg) {
      static_cast<T*>(p)->konfig_post_resolve(cfg);
    };
  }
}

}  // namespace konfig::detail
