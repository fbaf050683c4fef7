// Registration: the names under which configs know C++ types, functions and constants. All macros
// stand at global scope.
//
//   // adam.h: Poly<kd::Optimizer> takes an Adam, configs write "optax:adam" and read both names;
//   // sources that include the header do not compile its table
//   KONFIG_COMPONENT(kd::Optimizer, kd::optim::Adam, "optax:adam", "my.optim:Adam");
//   // a type that implements no interface; without a name it is called after its namespace
//   KONFIG_TYPE(kd::train::Trainer, "kauldron.kd:train.Trainer");
//   KONFIG_TYPE(my::ns::Model);                                            // "my.ns:Model"
//
//   // one source file for each of them; in kd the build makes these lines from the headers
//   KONFIG_REGISTER(kd::optim::Adam);
//
//   // a component of one source file: both at once
//   KONFIG_LOCAL_COMPONENT(kd::Loss, MyLoss);
//   // a type of one source file, with a name
//   KONFIG_REGISTER(MyModel, "my.project:Model");
//
//   // a named constructor, a constant, a function to be passed around
//   KONFIG_FUNCTION("kauldron.kd:nn.VitEncoder.from_variant_str", from_variant_str);
//   KONFIG_ARGUMENTS(kd::Module, VitVariant);   // in the header: cfg.model = VitVariant{}
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

#include "konfig/load.h"
#include "konfig/lower.h"
#include "konfig/registry.h"
#include "konfig/resolve.h"
#include "konfig/to_value.h"
#include "konfig/type_registry.h"

namespace konfig {

namespace detail {

// A further interface that every component of I implements, too; "": none.
template <class I>
inline constexpr std::string_view also_interface = {};

// What KONFIG_COMPONENT or KONFIG_TYPE says of a type. `names` ends with a null pointer; the first
// one is written, none at all means the default name.
template <class T>
struct Component {
  static constexpr std::string_view interface = {};
  static constexpr std::string_view also = {};
  static constexpr const char* names[] = {nullptr};
};

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

#define KONFIG_DECLARE_(I, T, ...)                                               \
  template <>                                                                    \
  [[maybe_unused]] inline constexpr bool konfig::implements<I, T> = true;        \
  template <>                                                                    \
  struct konfig::detail::Component<T> {                                          \
    static constexpr std::string_view interface = konfig::type_name<I>;          \
    static constexpr std::string_view also = konfig::detail::also_interface<I>;  \
    static constexpr const char* names[] = {__VA_ARGS__ __VA_OPT__(, ) nullptr}; \
  }
#define KONFIG_COMPONENT(I, T, ...)   \
  KONFIG_DECLARE_(I, T, __VA_ARGS__); \
  extern template const konfig::Type& konfig::type_of<T>()

#define KONFIG_TYPE(T, ...)                                                      \
  template <>                                                                    \
  struct konfig::detail::Component<T> {                                          \
    static constexpr std::string_view interface = {};                            \
    static constexpr std::string_view also = {};                                 \
    static constexpr const char* names[] = {__VA_ARGS__ __VA_OPT__(, ) nullptr}; \
  };                                                                             \
  extern template const konfig::Type& konfig::type_of<T>()

#define KONFIG_LOCAL_COMPONENT(I, T, ...) \
  KONFIG_DECLARE_(I, T, __VA_ARGS__);     \
  KONFIG_RUN(konfig::detail::register_type<T>())

// The argument struct of a named constructor (KONFIG_FUNCTION), which stands for what it makes.
#define KONFIG_ARGUMENTS(I, T)                                            \
  template <>                                                             \
  [[maybe_unused]] inline constexpr bool konfig::implements<I, T> = true; \
  extern template const konfig::Type& konfig::type_of<T>()

// Beside an interface: whatever implements I implements J, too, in C++ and in configs.
#define KONFIG_ALSO_INTERFACE(I, J)                                                           \
  template <>                                                                                 \
  inline constexpr std::string_view konfig::detail::also_interface<I> = konfig::type_name<J>; \
  template <class T>                                                                          \
  requires konfig::implements<I, T>                                                           \
  inline constexpr bool konfig::implements<J, T> = true

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
