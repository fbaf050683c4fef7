// Registration: the names under which configs know C++ types, functions and constants. All macros
// stand at global scope.
//
//   // adam.h: Poly<kd::Optimizer> takes an Adam; sources that include it do not compile its table
//   KONFIG_COMPONENT(kd::Optimizer, kd::optim::Adam, "optax:adam");
//   // adam.cc
//   KONFIG_REGISTER(kd::optim::Adam);
//
//   // a type that implements no interface, named by hand or after its namespace ("my.ns:Model")
//   KONFIG_REGISTER(my::ns::Model);
//   KONFIG_REGISTER(kd::train::Trainer, "kauldron.kd:train.Trainer");
//
//   // a component of one source file: both at once
//   KONFIG_LOCAL_COMPONENT(kd::Loss, MyLoss);
//
//   // a named constructor, a constant, a function to be passed around
//   KONFIG_FUNCTION("kauldron.kd:nn.VitEncoder.from_variant_str", from_variant_str);
//   KONFIG_ALSO_COMPONENT(kd::Module, VitVariant);  // its arguments: `cfg.model = VitVariant{}`
//   KONFIG_CONSTANT("kauldron.kd:sharding.REPLICATED", kd::Sharding{});
//   KONFIG_CALLABLE("jax.nn:relu", relu);
//
// A registered type may have: `static constexpr bool konfig_is_root`, `static constexpr
// std::string_view konfig_raw_fields[]` (fields handed over as config) and `void
// konfig_post_resolve(const ConfigDict&)` (called with the node it was built from).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "konfig/load.h"
#include "konfig/lower.h"
#include "konfig/registry.h"
#include "konfig/resolve.h"
#include "konfig/to_value.h"
#include "konfig/type_registry.h"

namespace konfig {

// The object a config describes.
template <class T>
std::shared_ptr<const T> resolve(const ConfigDict& cfg);

namespace detail {

// The name and interface that KONFIG_COMPONENT gave a type.
template <class T>
struct Component {
  static constexpr std::string_view interface = {};
  static constexpr const char* qualname = nullptr;
};

bool register_type(const Type& type, std::string_view interface, const char* qualname);
template <class T>
bool register_type(const char* qualname = Component<T>::qualname) {
  return register_type(type_of<T>(), Component<T>::interface, qualname);
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

std::shared_ptr<const void> resolve_to(const ConfigDict& cfg, const Type& type);

}  // namespace detail

template <class T>
std::shared_ptr<const T> resolve(const ConfigDict& cfg) {
  return std::static_pointer_cast<const T>(detail::resolve_to(cfg, type_of<T>()));
}

}  // namespace konfig

#define KONFIG_CAT_(a, b) a##b
#define KONFIG_CAT(a, b) KONFIG_CAT_(a, b)
#define KONFIG_RUN(...) \
  [[maybe_unused]] static const bool KONFIG_CAT(konfig_run_, __COUNTER__) = (__VA_ARGS__)
#define KONFIG_PICK_(_1, _2, _3, chosen, ...) chosen

#define KONFIG_DECLARE_(I, T, name)                                       \
  template <>                                                             \
  [[maybe_unused]] inline constexpr bool konfig::implements<I, T> = true; \
  template <>                                                             \
  struct konfig::detail::Component<T> {                                   \
    static constexpr std::string_view interface = konfig::type_name<I>;   \
    static constexpr const char* qualname = name;                         \
  }
#define KONFIG_COMPONENT_3(I, T, name) \
  KONFIG_DECLARE_(I, T, name);         \
  extern template const konfig::Type& konfig::type_of<T>()
#define KONFIG_COMPONENT_2(I, T) KONFIG_COMPONENT_3(I, T, nullptr)
#define KONFIG_COMPONENT(...) \
  KONFIG_PICK_(__VA_ARGS__, KONFIG_COMPONENT_3, KONFIG_COMPONENT_2, ~)(__VA_ARGS__)

#define KONFIG_LOCAL_COMPONENT_3(I, T, name) \
  KONFIG_DECLARE_(I, T, name);               \
  KONFIG_RUN(konfig::detail::register_type<T>())
#define KONFIG_LOCAL_COMPONENT_2(I, T) KONFIG_LOCAL_COMPONENT_3(I, T, nullptr)
#define KONFIG_LOCAL_COMPONENT(...) \
  KONFIG_PICK_(__VA_ARGS__, KONFIG_LOCAL_COMPONENT_3, KONFIG_LOCAL_COMPONENT_2, ~)(__VA_ARGS__)

// A further interface of a component, or that of what a named constructor gives back.
#define KONFIG_ALSO_COMPONENT(I, T)                                       \
  template <>                                                             \
  [[maybe_unused]] inline constexpr bool konfig::implements<I, T> = true; \
  KONFIG_RUN(konfig::detail::register_interface(konfig::type_name<I>, konfig::type_name<T>))

#define KONFIG_REGISTER_2(T, name)                   \
  template const konfig::Type& konfig::type_of<T>(); \
  KONFIG_RUN(konfig::detail::register_type<T>(name))
#define KONFIG_REGISTER_1(T)                         \
  template const konfig::Type& konfig::type_of<T>(); \
  KONFIG_RUN(konfig::detail::register_type<T>())
#define KONFIG_REGISTER(...) \
  KONFIG_PICK_(__VA_ARGS__, ~, KONFIG_REGISTER_2, KONFIG_REGISTER_1, ~)(__VA_ARGS__)

#define KONFIG_FUNCTION(name, function) KONFIG_RUN(konfig::detail::FunctionOf<&function>::add(name))
#define KONFIG_CONSTANT(name, ...) KONFIG_RUN(konfig::detail::register_constant(name, __VA_ARGS__))
#define KONFIG_CALLABLE(name, function) \
  KONFIG_RUN(konfig::detail::register_callable(name, &function))
