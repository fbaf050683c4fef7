// Field types with a rule of their own.
//
//   struct Dense { Required<int> features; };                      // no default: must be given
//   struct Chain { Args<Poly<Optimizer>> transforms; };            // optax.chain(a, b, c)
//   struct NamedChain { Kwargs<Poly<Optimizer>> transforms; };     // named_chain(clip=a, adam=b)
#pragma once

#include <concepts>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "konfig/error.h"
#include "konfig/map.h"
#include "konfig/type.h"

namespace konfig {

// A field without a default. Reads like a T once it is set; reading it before is an Error.
template <class T>
class Required {
 public:
  using konfig_element = T;
  static constexpr Kind konfig_kind = Kind::required;

  Required() = default;
  template <class U = T>
  requires(std::convertible_to<U, T> && !std::same_as<std::remove_cvref_t<U>, Required>)
      Required(U&& value)
      : value_(std::in_place, std::forward<U>(value)) {}

  bool has_value() const { return value_.has_value(); }
  const T& value() const {
    if (!value_) throw Error(ErrorKind::required, "a required field was read before it was set");
    return *value_;
  }
  operator const T&() const { return value(); }
  const T& operator*() const { return value(); }
  const T* operator->() const { return &value(); }

  std::optional<T>& storage() { return value_; }

 private:
  std::optional<T> value_;
};

// All positional arguments of a call. At most one, and the first field of its struct.
template <class T>
struct Args : std::vector<T> {
  using std::vector<T>::vector;
  static constexpr Kind konfig_kind = Kind::args;
};

// All keyword arguments that are no field of the struct. At most one.
template <class T>
struct Kwargs : Map<T> {
  using Map<T>::Map;
  static constexpr Kind konfig_kind = Kind::kwargs;
};

}  // namespace konfig
