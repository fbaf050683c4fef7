// Registration: the names under which configs know C++ types, functions and constants. All macros
// stand at global scope.
//
//   // a type that a header declares (konfig/component.h), in one source file; for kd the build
//   // writes these lines
//   KONFIG_REGISTER(kd::optim::Adam);
//
//   // a component of one source file: both at once
//   KONFIG_LOCAL_COMPONENT(kd::Loss, MyLoss);
//   // a type of one source file, with a name
//   KONFIG_REGISTER(MyModel, "my.project:Model");
//
//   // a named constructor, a constant, a function to be passed around
//   KONFIG_FUNCTION("kauldron.kd:nn.VitEncoder.from_variant_str", from_variant_str);
//   KONFIG_CONSTANT("kauldron.kd:sharding.REPLICATED", kd::Sharding{});
//   KONFIG_CALLABLE("jax.nn:relu", relu);
//
// One name may be a type, a constant and a function at once, registered in any order.
//
// A registered type may have: `static constexpr bool konfig_is_root`, `static constexpr
// std::string_view konfig_raw_fields[]` (fields handed over as config) and `void
// konfig_post_resolve(const ConfigDict&)` (called with the node it was built from).
#pragma once

#include <string>
#include <string_view>

#include "konfig/component.h"
#include "konfig/load.h"
#include "konfig/lower.h"
#include "konfig/registry.h"
#include "konfig/resolve.h"
#include "konfig/to_value.h"
#include "konfig/type_registry.h"

namespace konfig {

namespace detail {

bool register_type(const Type& type, std::string_view interface, std::string_view also,
                   const char* const* names);
template <class T>
bool register_type() {
  return register_type(type_of<T>(), Component<T>::interface, Component<T>::also,
                       Component<T>::names);
}
template <class T>
bool register_type(const char* qualname) {
  const char* const names[] = {qualname, nullptr};
  return register_type(type_of<T>(), Component<T>::interface, Component<T>::also, names);
}
inline bool register_interface(std::string_view interface, std::string_view type) {
  register_component(interface, type);
  return true;
}

// Calls a function whose argument struct was filled from a call node.
using CallFunction = Value (*)(const void* arguments);
bool register_function(std::string qualname, const Type& arguments, CallFunction call);
bool register_constant(std::string qualname, const Type& type, const void* value);

template <auto Function>
struct FunctionOf;
template <class R, class A, R (*Function)(const A&)>
struct FunctionOf<Function> {
  static bool add(std::string qualname) {
    return register_function(std::move(qualname), type_of<A>(), [](const void* arguments) {
      const R result = Function(*static_cast<const A*>(arguments));
      return to_value(type_of<R>(), &result);
    });
  }
};
template <class T>
bool register_constant(std::string qualname, const T& value) {
  return register_constant(std::move(qualname), type_of<T>(), &value);
}

}  // namespace detail
}  // namespace konfig

#define KONFIG_CAT_(a, b) a##b
#define KONFIG_CAT(a, b) KONFIG_CAT_(a, b)
#define KONFIG_RUN(...) \
  [[maybe_unused]] static const bool KONFIG_CAT(konfig_run_, __COUNTER__) = (__VA_ARGS__)

#define KONFIG_LOCAL_COMPONENT(I, T, ...) \
  KONFIG_DECLARE_(I, T, __VA_ARGS__);     \
  KONFIG_RUN(konfig::detail::register_type<T>())

// A further interface of a component, or that of what a named constructor gives back.
#define KONFIG_ALSO_COMPONENT(I, T)                                       \
  template <>                                                             \
  [[maybe_unused]] inline constexpr bool konfig::implements<I, T> = true; \
  KONFIG_RUN(konfig::detail::register_interface(konfig::type_name<I>, konfig::type_name<T>))

#define KONFIG_REGISTER(T, ...)                      \
  template const konfig::Type& konfig::type_of<T>(); \
  KONFIG_RUN(konfig::detail::register_type<T>(__VA_ARGS__))

#define KONFIG_FUNCTION(name, function) KONFIG_RUN(konfig::detail::FunctionOf<&function>::add(name))
#define KONFIG_CONSTANT(name, ...) KONFIG_RUN(konfig::detail::register_constant(name, __VA_ARGS__))
#define KONFIG_CALLABLE(name, function) \
  KONFIG_RUN(konfig::detail::register_callable(name, &function))
