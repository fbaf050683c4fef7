// Which fields a Ref<U> may be bound to: those whose loader accepts every value of a U.
#pragma once

#include <filesystem>
#include <string>
#include <type_traits>

#include "konfig/poly.h"
#include "konfig/type_traits.h"

namespace konfig::detail {

template <class T>
inline constexpr bool is_text =
    std::same_as<T, std::string> || std::same_as<T, std::filesystem::path> || TextLike<T>;

template <class U, class F>
consteval bool ref_fits();

template <class U, class... A>
consteval bool fits_any(const std::variant<A...>*) {
  return (... || ref_fits<U, A>());
}

template <class U, class F>
consteval bool fits_poly() {
  if constexpr (Record<U>) {
    return implements<typename F::Interface, U>;
  } else {
    return false;
  }
}

template <class U, class F>
consteval bool ref_fits() {
  if constexpr (std::same_as<U, F> || std::same_as<U, Value> || std::same_as<F, Value>) {
    return true;
  } else if constexpr (!std::same_as<RefValue<F>, F>) {
    return ref_fits<U, RefValue<F>>();
  } else if constexpr (std::same_as<U, bool> || std::same_as<F, bool>) {
    return false;
  } else if constexpr (std::is_arithmetic_v<U> && std::is_arithmetic_v<F>) {
    return std::is_integral_v<U> || std::is_floating_point_v<F>;
  } else if constexpr (std::is_arithmetic_v<U> && is_duration<F>) {
    return ref_fits<U, typename F::rep>();
  } else if constexpr (is_text<U> && is_text<F>) {
    return true;
  } else if constexpr (kind_is<F, Kind::poly> == 1) {
    return fits_poly<U, F>();
  } else if constexpr (VariantLike<F>) {
    return fits_any<U>(
        static_cast<decltype(variant_base(static_cast<const F*>(nullptr)))>(nullptr));
  } else {
    return false;
  }
}

}  // namespace konfig::detail
