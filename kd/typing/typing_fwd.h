// Shape-annotated tensors, declared only: for headers that must not need libtorch, such as those of
// components. kd/typing/typing.h defines them.
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "kd/core/tensor_fwd.h"
#include "konfig/inherit.h"

namespace kd {

namespace typing {

enum class Elements : std::uint8_t {
  any,
  number,  // not bool
  floating,
  integer,
  complex,
  boolean,
  float16,
  bfloat16,
  float32,
  float64,
  int8,
  int16,
  int32,
  int64,
  uint8,
};

template <Elements E, konfig::FixedText S>
class Annotated;

// Whether a function has parameters or a result to check.
template <class T>
inline constexpr bool is_annotated = false;
template <Elements E, konfig::FixedText S>
inline constexpr bool is_annotated<Annotated<E, S>> = true;
template <class T>
inline constexpr bool is_annotated<std::optional<T>> = is_annotated<T>;
template <class T>
inline constexpr bool is_annotated<std::vector<T>> = is_annotated<T>;
template <class A, class B>
inline constexpr bool is_annotated<std::pair<A, B>> = is_annotated<A> || is_annotated<B>;
template <class... T>
inline constexpr bool is_annotated<std::tuple<T...>> = (... || is_annotated<T>);
template <class T>
inline constexpr bool is_annotated<const T&> = is_annotated<T>;
template <class F>
inline constexpr bool has_annotations = false;
template <class T, class R, class... A>
inline constexpr bool has_annotations<R (T::*)(A...) const> = is_annotated<R> ||
                                                              (... || is_annotated<A>);

// Calls a member function with checks. Defined in kd/typing/checked.h.
template <auto F, class T, class... A>
decltype(auto) call_checked(const T& object, A&&... args);

}  // namespace typing

template <konfig::FixedText S>
using Array = typing::Annotated<typing::Elements::any, S>;
template <konfig::FixedText S>
using Num = typing::Annotated<typing::Elements::number, S>;
template <konfig::FixedText S>
using Float = typing::Annotated<typing::Elements::floating, S>;
template <konfig::FixedText S>
using Int = typing::Annotated<typing::Elements::integer, S>;
template <konfig::FixedText S>
using Complex = typing::Annotated<typing::Elements::complex, S>;
template <konfig::FixedText S>
using Bool = typing::Annotated<typing::Elements::boolean, S>;
template <konfig::FixedText S>
using Float16 = typing::Annotated<typing::Elements::float16, S>;
template <konfig::FixedText S>
using BFloat16 = typing::Annotated<typing::Elements::bfloat16, S>;
template <konfig::FixedText S>
using Float32 = typing::Annotated<typing::Elements::float32, S>;
template <konfig::FixedText S>
using Float64 = typing::Annotated<typing::Elements::float64, S>;
template <konfig::FixedText S>
using Int8 = typing::Annotated<typing::Elements::int8, S>;
template <konfig::FixedText S>
using Int16 = typing::Annotated<typing::Elements::int16, S>;
template <konfig::FixedText S>
using Int32 = typing::Annotated<typing::Elements::int32, S>;
template <konfig::FixedText S>
using Int64 = typing::Annotated<typing::Elements::int64, S>;
template <konfig::FixedText S>
using UInt8 = typing::Annotated<typing::Elements::uint8, S>;

// One number.
using Scalar = Num<"">;
using ScalarFloat = Float<"">;
using ScalarInt = Int<"">;
using ScalarBool = Bool<"">;

}  // namespace kd
