// The scalar pieces of konfig/make_type.h: text, enumerators and durations.
#pragma once

#include <concepts>
#include <filesystem>
#include <string>
#include <type_traits>

#include "konfig/type.h"

namespace konfig::detail {

template <class T>
void set_text(Type& t) {
  t.kind = Kind::text;
  t.to_text = [](const void* p) -> std::string {
    if constexpr (std::same_as<T, std::string>) {
      return *static_cast<const T*>(p);
    } else if constexpr (std::same_as<T, std::filesystem::path>) {
      return static_cast<const T*>(p)->string();
    } else {
      return static_cast<const T*>(p)->str();
    }
  };
  t.from_text = [](void* p, const std::string& text) { *static_cast<T*>(p) = T(text); };
}

template <class T>
void set_enum(Type& t) {
  static const auto names = enumerators<T>();
  t.kind = Kind::enumeration;
  t.enumerators = names;
  t.is_signed = std::is_signed_v<std::underlying_type_t<T>>;
}

template <class T>
void set_duration(Type& t) {
  t.kind = Kind::duration;
  t.is_signed = std::is_signed_v<typename T::rep>;
  t.is_whole = std::is_integral_v<typename T::rep>;
  t.period[0] = T::period::num;
  t.period[1] = T::period::den;
}

}  // namespace konfig::detail
