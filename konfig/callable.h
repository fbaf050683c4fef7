// Callable<R(A...)>: a function chosen by its registered name.
//
//   double relu(double x);
//   KONFIG_CALLABLE("jax.nn:relu", relu);
//   struct Mlp { Callable<double(double)> act = "jax.nn:relu"; };
//
// In a config it is a constant node, `{"__const__": "jax.nn:relu"}`.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "konfig/names.h"
#include "konfig/type.h"

namespace konfig {

namespace detail {
using AnyFunction = void (*)();
// The function with this name and signature; an Error names the nearest one otherwise.
AnyFunction find_callable(const std::string& qualname, std::string_view signature);
bool register_callable(std::string qualname, std::string_view signature, AnyFunction function);
}  // namespace detail

// The name only; the function is looked up when it is called.
struct CallableBase {
  std::string qualname = {};  // "": none
};

template <class Signature>
class Callable;

template <class R, class... A>
class Callable<R(A...)> : public CallableBase {
 public:
  static constexpr Kind konfig_kind = Kind::callable;
  static constexpr std::string_view signature = type_name<R(A...)>;

  Callable() = default;
  Callable(const char* name) : CallableBase{name} {}
  Callable(std::string name) : CallableBase{std::move(name)} {}

  explicit operator bool() const { return !qualname.empty(); }
  R operator()(A... args) const {
    auto* function = detail::find_callable(qualname, signature);
    return reinterpret_cast<R (*)(A...)>(function)(std::forward<A>(args)...);
  }
};

namespace detail {
template <class R, class... A>
bool register_callable(std::string qualname, R (*function)(A...)) {
  return register_callable(std::move(qualname), type_name<R(A...)>,
                           reinterpret_cast<AnyFunction>(function));
}
}  // namespace detail

}  // namespace konfig
